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
            isOffline: isOffline,
            events: worker.settings.events
        )
        let decisionContext = DecisionContext(
            peer: Peer(Array(request.address.utf8), trustedProxies: trustedProxies, tls: nil),
            source: .rehearsal,
            allowing: allowed,
            explanation: explanation
        )
        let head = ByteBuffer(string: request.head(for: tenant))
        let address = Array(request.address.utf8)
        DecisionQuery(head, decisionContext, worker: worker) { verdict, _ in
            var backend: Backend?
            if case .granted(let grant) = verdict {
                backend = grant.backend(client: { address }, random: { worker.loop.identifiers.next() })
                    .map { grant.request.tenant.tenant.backends[$0] }
            }
            let decision = decision(verdict, backend, explanation, worker)
            let observed = decisionContext.observed
            if case .refuse = decision { explanation.noteRefusalEvent() }
            done(DecisionReport(explanation, decision, backend: backend?.name, observed: observed))
        }
        .begin()
    }

    private static func decision(
        _ verdict: Authorizer.Decision,
        _ backend: Backend?,
        _ explanation: Explanation,
        _ worker: Worker
    ) -> DecisionReport.Decision {
        switch verdict {
        case .granted(let grant):
            switch grant.request.route?.route.action {
            case .redirect(let redirect)?: return .answer(status: redirect.status)
            case .respond(let response)?: return .answer(status: response.status)
            case .forward?, nil: break
            }
            if let backend { noteServers(of: backend, grant.request, explanation, worker.loop.reachability) }
            return .forward
        case .refused(let refusal, _): return refuse(refusal)
        case .preflight:
            explanation.note(.endpoint, "the gateway responds to preflight requests itself")
            return .forward
        case .redirect: return .answer(status: 308)
        case .pending(_, _): return refuse(.overloaded)
        case .endpoint: return .forward
        }
    }

    /// What forwarding would meet, as far as the running gateway knows.
    private static func noteServers(
        of backend: Backend,
        _ request: RoutedRequest,
        _ explanation: Explanation,
        _ reachability: ServerReachability
    ) {
        let tenant = request.tenant.tenant
        let names = ["backends.\(backend.name)", "backend"]
        let line = names.lazy.compactMap { tenant.lines["\($0).servers"] ?? tenant.lines[$0] }.first
        if let route = request.route, route.route.forwarding.map({ $0.shares.count > 1 }) == true {
            explanation.note(.backend, "the split sends this caller to \(backend.name)", line: route.route.line)
        }
        for server in backend.servers {
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
