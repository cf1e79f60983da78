import Authorization
import NIOCore
import Proxy
import Tenants
import Upstream

/// Explains a decision on an event loop, without effects: no allowance is used up, no session refreshed, nothing
/// counted, and nothing sent to a backend.
enum Rehearsal {
    /// Missing keys are fetched, and opaque tokens introspected. A refresh would change a session.
    private static let allowed: AllowedSteps = [.keys, .introspection]

    /// Runs on the worker's loop.
    ///
    /// - Parameters:
    ///   - tenant: The expected tenant; the request may turn out to be another's.
    ///   - isOffline: Whether there is no running gateway.
    ///   - done: Called once.
    static func run(
        _ request: ExplainedRequest,
        of tenant: Tenant,
        isOffline: Bool = false,
        on worker: Worker,
        done: @escaping (DecisionReport) -> Void
    ) {
        let trustedProxies = worker.settings.trustedProxies
        let explanation = Explanation(
            tenant: tenant.name,
            pathPrefix: tenant.pathPrefix,
            isOffline: isOffline
        )
        let decisionContext = DecisionContext(
            peer: Peer(Array(request.address.utf8), trustedProxies: trustedProxies, tls: nil),
            source: .rehearsal,
            allowing: allowed,
            explanation: explanation
        )
        let head = ByteBuffer(string: request.head(for: tenant))
        DecisionQuery(head, decisionContext, worker: worker) { verdict, _ in
            let decision = decision(verdict, explanation, worker)
            done(DecisionReport(explanation, decision, observed: decisionContext.observed))
        }
        .begin()
    }

    private static func decision(
        _ verdict: Authorizer.Decision,
        _ explanation: Explanation,
        _ worker: Worker
    ) -> DecisionReport.Decision {
        switch verdict {
        case .granted(let grant):
            noteServers(of: grant.request.tenant.tenant, explanation, worker.loop.reachability)
            return .forward
        case .refused(let refusal, _): return refuse(refusal)
        case .preflight:
            explanation.note(.endpoint, "the gateway responds to preflight requests itself")
            return .forward
        case .pending(_, _): return refuse(.overloaded)
        case .endpoint: return .forward
        }
    }

    /// What forwarding would meet, as far as the running gateway knows.
    private static func noteServers(of tenant: Tenant, _ explanation: Explanation, _ reachability: ServerReachability) {
        let line = tenant.lines["backend.servers"] ?? tenant.lines["backend"]
        for server in tenant.backends.flatMap(\.servers) {
            let label = ServerPool.label(of: server)
            guard let problem = reachability.problem(of: label) else { continue }
            explanation.note(.backend, "\(label) cannot be reached: \(problem)", line: line)
        }
    }

    private static func refuse(_ refusal: Refusal) -> DecisionReport.Decision {
        .refuse(status: refusal.status, code: refusal.code.rawValue)
    }
}

extension WorkerHandle {
    /// Explains the decision on this loop.
    func explain(_ request: ExplainedRequest, of tenant: Tenant, isOffline: Bool = false) async throws -> DecisionReport
    {
        let (worker, eventLoop) = (self.worker, self.eventLoop)
        return try await eventLoop.flatSubmit {
            let promise = eventLoop.makePromise(of: DecisionReport.self)
            Rehearsal.run(request, of: tenant, isOffline: isOffline, on: worker.value) { promise.succeed($0) }
            return promise.futureResult
        }.get()
    }
}
