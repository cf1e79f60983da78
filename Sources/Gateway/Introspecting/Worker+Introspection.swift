import NIOCore

extension Worker {
    /// Asks about the token. Gives whether there is room for it.
    func perform(_ question: IntrospectionStep, for client: any SlowStepClient) -> Bool {
        guard serving.tenants[question.tenant].introspecting?.begin(question) == true else { return false }
        let ask = controlPlane.introspect
        settle(client) {
            await ask(question)
        } with: { worker, serving, circumstances, outcome in
            let finding = worker.settle(question, outcome, serving)
            circumstances?.introspected = finding
        }
        return true
    }

    /// Asks once more about those whose answers will be forgotten soon. Nobody waits for that.
    func introspectAhead() {
        let due = serving.decision.authenticator.takeDueIntrospections()
        for question in due where serving.tenants[question.tenant].introspecting?.begin(question) == true {
            let bound = NIOLoopBound((self, serving), eventLoop: eventLoop)
            Task { [eventLoop, ask = controlPlane.introspect] in
                let outcome = await ask(question)
                eventLoop.execute {
                    let (worker, serving) = bound.value
                    _ = worker.settle(question, outcome, serving)
                }
            }
        }
    }

    /// - Parameter serving: Whatever the loop served when it asked.
    private func settle(
        _ question: IntrospectionStep,
        _ outcome: IntrospectionOutcome,
        _ serving: Serving
    ) -> IntrospectionFinding {
        let tenant = serving.tenants[question.tenant]
        let now = unixTime(at: now())
        tenant.introspecting?.ended(question, outcome, at: now)
        return serving.decision.authenticator.settle(question, outcome, tenant, at: now)
    }
}
