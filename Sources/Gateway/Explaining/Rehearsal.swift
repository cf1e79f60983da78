import Authorization
import NIOCore
import Proxy
import Tenants

/// Asks an event loop what a request would meet, without anything coming of it: no allowance is used up, no session is
/// refreshed, nothing is counted, and nothing is sent to a backend.
enum Rehearsal {
    /// Keys that are missing are asked for, and so are servers of opaque tokens. A refresh would change a session.
    private static let allowed: AllowedSteps = [.keys, .introspection]

    /// On the worker's loop.
    ///
    /// - Parameters:
    ///   - tenant: The tenant that is asked about; the request may turn out to be another's.
    ///   - isOffline: Whether the worker stands alone.
    ///   - done: Told once.
    static func run(
        _ request: ExplainedRequest,
        of tenant: Tenant,
        isOffline: Bool = false,
        on worker: Worker,
        done: @escaping (DecisionReport) -> Void
    ) {
        let trustedProxies = worker.settings.trustedProxies
        let explanation = Explanation(tenant: tenant.name, isOffline: isOffline)
        let decisionContext = DecisionContext(
            peer: Peer(Array(request.address.utf8), trustedProxies: trustedProxies, tls: nil),
            source: .rehearsal,
            allowing: allowed,
            explanation: explanation
        )
        let head = ByteBuffer(string: request.head(for: tenant))
        DecisionQuery(head, decisionContext, worker: worker) { verdict, _ in
            let decision = decision(verdict, explanation)
            done(DecisionReport(explanation, decision, observed: decisionContext.observed))
        }
        .begin()
    }

    private static func decision(
        _ verdict: Authorizer.Decision,
        _ explanation: Explanation
    ) -> DecisionReport.Decision {
        switch verdict {
        case .granted: return .forward
        case .refused(let refusal, _): return refuse(refusal)
        case .preflight:
            explanation.note(.endpoint, "the gateway answers a browser's question before a request itself")
            return .forward
        case .pending(_, _): return refuse(.overloaded)
        case .endpoint: return .forward
        }
    }

    private static func refuse(_ refusal: Refusal) -> DecisionReport.Decision {
        .refuse(status: refusal.status, code: refusal.code.rawValue)
    }
}

extension WorkerHandle {
    /// What the request would meet on this loop.
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
