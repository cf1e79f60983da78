public import Logging
public import Tenants
public import Time
import Verification

/// Asks servers about opaque tokens, for all event loops: about each token once at a time, and not again while the
/// answer is believed.
public actor IntrospectionService {
    /// Seconds between two lines of the log about one tenant's server.
    private static let logInterval = 10.0
    /// Seconds for which a refusal is remembered at least and at most: it costs the server nothing to be asked again
    /// once a second, and a token that was unknown may be one that is just being made.
    private static let refusalLife = 1.0...30.0

    /// One that is being asked about.
    private struct Flight {
        let task: Task<IntrospectionOutcome, Never>
        /// Counts up.
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
        var book = IntrospectionState()
        var flights: [[UInt8]: Flight] = [:]
        var silentUntil = UnixTime.distantPast
    }

    private var states: [TenantState?]
    private var flightCount: UInt64 = 0
    private let server: @Sendable (Introspection) -> any IntrospectionClient
    private let now: @Sendable () -> UnixTime
    private let logger: Logger

    /// - Parameters:
    ///   - server: Makes the one to be asked for a tenant.
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

    /// Asks by the rules of these from now on. What servers said is forgotten where the rules are others.
    ///
    /// - Parameter tenants: By place.
    public func adopt(_ tenants: [Tenant]) {
        states = tenants.enumerated().map { place, tenant in
            let known = place < states.count ? states[place] : nil
            guard let new = Self.state(tenant, server) else { return nil }
            return known.map { $0.rules == new.rules && $0.policy == new.policy } == true ? known : new
        }
    }

    /// What is known of the token, or what its server says.
    public func ask(_ question: IntrospectionRequest) async -> IntrospectionOutcome {
        // Nobody asks for a tenant without a server.
        guard let cache = states[question.tenant]?.cache else { return .overloaded }
        let digest = OpaqueToken.digest(question.token)
        let arrival = flightCount
        while true {
            switch states[question.tenant]?.book.question(digest, isAhead: question.isAhead, at: now()) {
            case .known(let outcome): return outcome
            case .ask: return await begin(question, digest)
            case .underWay:
                guard let flight = states[question.tenant]?.flights[digest] else { return .overloaded }
                let outcome = await flight.task.value
                // The server was asked before this question came, and may have changed its mind since: that counts
                // where answers are believed for less than it took.
                if flight.number > arrival || now() <= flight.began + cache { return outcome }
            case nil: return .overloaded
            }
        }
    }

    private func begin(_ question: IntrospectionRequest, _ digest: [UInt8]) async -> IntrospectionOutcome {
        guard let state = states[question.tenant] else { return .overloaded }
        let began = now()
        flightCount += 1
        let number = flightCount
        let task = Task {
            // All is noted before anybody who waits goes on: they may look it up again.
            do throws(IntrospectionFailure) {
                let outcome = try await self.outcome(
                    question,
                    state.server,
                    state.policy,
                    cache: state.cache,
                    began: began
                )
                if isUnderWay(question, digest, number) { ended(question, digest, outcome) }
                return outcome
            } catch {
                guard isUnderWay(question, digest, number) else { return .overloaded }
                return failed(question, digest, error)
            }
        }
        states[question.tenant]?.flights[digest] = Flight(task: task, number: number, began: began)
        return await task.value
    }

    /// Whether the flight counts still: the tenant may have another server meanwhile.
    private func isUnderWay(_ question: IntrospectionRequest, _ digest: [UInt8], _ number: UInt64) -> Bool {
        states[question.tenant]?.flights[digest]?.number == number
    }

    private func ended(_ question: IntrospectionRequest, _ digest: [UInt8], _ outcome: IntrospectionOutcome) {
        states[question.tenant]?.flights[digest] = nil
        states[question.tenant]?.book.answered(digest, outcome, at: now())
    }

    private func failed(
        _ question: IntrospectionRequest,
        _ digest: [UInt8],
        _ trouble: IntrospectionFailure
    ) -> IntrospectionOutcome {
        note(trouble, tenant: question.tenant)
        states[question.tenant]?.flights[digest] = nil
        return states[question.tenant]?.book.failed(digest, trouble, at: now()) ?? .overloaded
    }

    /// Not on the actor, since answers are read here.
    private nonisolated func outcome(
        _ question: IntrospectionRequest,
        _ server: any IntrospectionClient,
        _ policy: IntrospectionPolicy,
        cache: Double,
        began: UnixTime
    ) async throws(IntrospectionFailure) -> IntrospectionOutcome {
        let answer = try await server.ask(about: question.token)
        do throws(VerificationFailure) {
            let principal = try answer.principal(of: question.token, policy, at: now())
            return .active(principal, IntrospectionLifetime(cache: cache, asked: began))
        } catch {
            let life = min(max(cache, Self.refusalLife.lowerBound), Self.refusalLife.upperBound)
            return .refused(error, until: began + (error.mayPass ? Self.refusalLife.lowerBound : life))
        }
    }

    private func note(_ trouble: IntrospectionFailure, tenant: TenantIndex) {
        guard let state = states[tenant] else { return }
        let now = now()
        guard now >= state.silentUntil || state.silentUntil > now + Self.logInterval else { return }
        states[tenant]?.silentUntil = now + Self.logInterval
        logger.warning(
            "the introspection endpoint did not answer as it should",
            metadata: ["tenant": "\(state.name)", "reason": "\(trouble.rawValue)"]
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
