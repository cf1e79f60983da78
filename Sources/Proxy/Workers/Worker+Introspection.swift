import Authorization
import NIOCore
import SharedState
import Time

extension Worker {
    /// Introspects the token. Returns whether the limit allows it.
    func perform(_ step: IntrospectionStep, for client: any SlowStepClient) -> Bool {
        guard serving.tenants[step.request.tenant].runtime.verification.introspecting?.begin(step) == true else {
            return false
        }
        let ask = controlPlane.introspect
        settle(client) {
            await ask(step.request)
        } with: { worker, serving, decisionContext, outcome in
            let finding = worker.settle(step, outcome, serving)
            decisionContext?.steps.introspected = finding
        }
        return true
    }

    /// Repeats introspections whose results expire soon. No request waits for them.
    func introspectAhead() {
        let due = serving.authorizer.authenticator.takeDueIntrospections()
        for step in due
        where serving.tenants[step.request.tenant].runtime.verification.introspecting?.begin(step) == true {
            let bound = NIOLoopBound((self, serving), eventLoop: eventLoop)
            Task { [eventLoop, ask = controlPlane.introspect] in
                let outcome = await ask(step.request)
                eventLoop.execute {
                    let (worker, serving) = bound.value
                    _ = worker.settle(step, outcome, serving)
                }
            }
        }
    }

    /// - Parameter serving: What the loop served when the introspection began.
    private func settle(
        _ step: IntrospectionStep,
        _ outcome: IntrospectionOutcome,
        _ serving: Serving
    ) -> IntrospectionFinding {
        let tenant = serving.tenants[step.request.tenant].runtime
        let now = unixTime(at: now())
        tenant.verification.introspecting?.ended(step, outcome, at: now)
        return serving.authorizer.authenticator.settle(step, outcome, tenant, at: now)
    }
}
