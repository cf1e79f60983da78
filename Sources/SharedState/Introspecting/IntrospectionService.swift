public import Logging
public import Tenants
public import Time
import Verification

/// Introspects opaque tokens for all event loops: each token once at a time, and not again while its outcome is usable.
public actor IntrospectionService {
    /// Seconds between two log lines about one tenant's server.
    private static let logInterval = 10.0
    /// Seconds for which a refusal is remembered at least and at most: a server can take a request a second, and an
    /// unknown token may be one that is just being issued.
    private static let refusalLife = 1.0...30.0

    /// An introspection under way.
    private struct Flight {
        let task: Task<IntrospectionOutcome, Never>
        /// Greater than that of every earlier flight.
        let number: UInt64
        let began: UnixTime
    }

    private struct TenantState {
        let rules: Introspection
        let name: String
        /// Seconds.
        let cache: Double
        let policy: IntrospectionPolicy
        let server: any IntrospectionClient
        var state = IntrospectionState()
        var flights: [[UInt8]: Flight] = [:]
        var silentUntil = UnixTime.distantPast
    }

    private var states: [TenantState?]
    private var flightCount: UInt64 = 0
    private let server: @Sendable (Introspection) -> any IntrospectionClient
    private let now: @Sendable () -> UnixTime
    private let logger: Logger

    /// - Parameters:
    ///   - server: Makes the client of a tenant's server.
    public init(
        _ tenants: [Tenant],
        logger: Logger,
        now: @escaping @Sendable () -> UnixTime = { Clock.unix() },
        server: @escaping @Sendable (Introspection) -> any IntrospectionClient
    ) {
        states = tenants.map { Self.state($0, server) }
        self.server = server
        self.now = now
        self.logger = logger
    }

    private static func state(_ tenant: Tenant, _ server: (Introspection) -> any IntrospectionClient)
        -> TenantState?
    {
        tenant.introspection.map { rules in
            TenantState(
                rules: rules,
                name: tenant.name,
                cache: rules.cache.secondsAsDouble,
                policy: IntrospectionPolicy(rules, tenant.authenticate.policy),
                server: server(rules)
            )
        }
    }

    /// Replaces the tenants. Outcomes are dropped where the rules have changed.
    ///
    /// - Parameter tenants: By tenant index.
    public func adopt(_ tenants: [Tenant]) {
        states = tenants.tenantIndices.map { index in
            let known = index.value < states.count ? states[index] : nil
            guard tenants[index].introspection != nil, let new = Self.state(tenants[index], server) else { return nil }
            return known.map { $0.rules == new.rules && $0.policy == new.policy } == true ? known : new
        }
    }

    /// The known outcome for the token, or its server's.
    public func introspect(_ request: IntrospectionRequest) async -> IntrospectionOutcome {
        guard let cache = states[request.tenant]?.cache else { return .overloaded }
        let digest = OpaqueToken.digest(request.token)
        let arrival = flightCount
        while true {
            switch states[request.tenant]?.state.lookUp(digest, isAhead: request.isAhead, at: now()) {
            case .known(let outcome): return outcome
            case .call: return await begin(request, digest)
            case .underWay:
                guard let flight = states[request.tenant]?.flights[digest] else { return .overloaded }
                let outcome = await flight.task.value
                // That flight began before this request; its outcome counts unless it is too old by now.
                if flight.number > arrival || now() <= flight.began + cache { return outcome }
            case nil: return .overloaded
            }
        }
    }

    private func begin(_ request: IntrospectionRequest, _ digest: [UInt8]) async -> IntrospectionOutcome {
        guard let state = states[request.tenant] else { return .overloaded }
        let began = now()
        flightCount += 1
        let number = flightCount
        let task = Task {
            // Recorded before waiting requests go on, which may look it up again.
            do throws(IntrospectionFailure) {
                let outcome = try await self.outcome(
                    request,
                    state.server,
                    state.policy,
                    cache: state.cache,
                    began: began
                )
                if isUnderWay(request, digest, number) { ended(request, digest, outcome) }
                return outcome
            } catch {
                guard isUnderWay(request, digest, number) else { return .overloaded }
                return failed(request, digest, error)
            }
        }
        states[request.tenant]?.flights[digest] = Flight(task: task, number: number, began: began)
        return await task.value
    }

    /// Whether the flight still counts: the tenant may have another server by now.
    private func isUnderWay(_ request: IntrospectionRequest, _ digest: [UInt8], _ number: UInt64) -> Bool {
        states[request.tenant]?.flights[digest]?.number == number
    }

    private func ended(_ request: IntrospectionRequest, _ digest: [UInt8], _ outcome: IntrospectionOutcome) {
        states[request.tenant]?.flights[digest] = nil
        states[request.tenant]?.state.succeeded(digest, outcome, at: now())
    }

    private func failed(
        _ request: IntrospectionRequest,
        _ digest: [UInt8],
        _ failure: IntrospectionFailure
    ) -> IntrospectionOutcome {
        note(failure, tenant: request.tenant)
        states[request.tenant]?.flights[digest] = nil
        return states[request.tenant]?.state.failed(digest, failure, at: now()) ?? .overloaded
    }

    /// Not on the actor, since parsing a response takes time.
    private nonisolated func outcome(
        _ request: IntrospectionRequest,
        _ server: any IntrospectionClient,
        _ policy: IntrospectionPolicy,
        cache: Double,
        began: UnixTime
    ) async throws(IntrospectionFailure) -> IntrospectionOutcome {
        let response = try await server.ask(about: request.token)
        do throws(VerificationFailure) {
            let principal = try response.principal(of: request.token, policy, at: now())
            return .active(principal, IntrospectionLifetime(cache: cache, asked: began))
        } catch {
            let life = min(max(cache, Self.refusalLife.lowerBound), Self.refusalLife.upperBound)
            return .refused(error, until: began + (error.mayPass ? Self.refusalLife.lowerBound : life))
        }
    }

    private func note(_ failure: IntrospectionFailure, tenant: TenantIndex) {
        guard let state = states[tenant] else { return }
        let now = now()
        guard now >= state.silentUntil || state.silentUntil > now + Self.logInterval else { return }
        states[tenant]?.silentUntil = now + Self.logInterval
        logger.warning(
            "the introspection endpoint did not answer as it should",
            metadata: ["tenant": "\(state.name)", "reason": "\(failure.rawValue)"]
        )
    }
}

extension IntrospectionPolicy {
    init(_ rules: Introspection, _ policy: VerificationPolicy) {
        self.init(
            issuer: rules.name,
            requiresIssuer: rules.issuer != nil,
            audiences: rules.audiences,
            requiredClaims: policy.requiredClaims,
            leeway: policy.leeway
        )
    }
}
