import Synchronization

/// Counts what comes of the tokens of former issuers, for metrics.
public final class AdoptionCounts: Sendable {
    /// A closed set, for use as a label.
    public enum Outcome: String, Sendable, CaseIterable {
        /// A session was begun.
        case adopted
        /// The token's session was adopted before: its client has not taken the new tokens, or has not got them.
        case repeated
        /// It is not to get a session.
        case refused
        /// It is tried again later.
        case failed
    }

    /// Labels of `gatehouse_adopted_sessions_total`.
    public struct Labels: Sendable, Hashable {
        public var tenant: String
        /// The former one, as the tenant's `adopt` has it.
        public var issuer: String
        public var outcome: Outcome

        public init(tenant: String, issuer: String, outcome: Outcome) {
            self.tenant = tenant
            self.issuer = issuer
            self.outcome = outcome
        }
    }

    private let counts = Mutex<[Labels: Int]>([:])

    public init() {}

    /// All counters at one moment.
    public func snapshot() -> [Labels: Int] { counts.withLock { $0 } }

    func add(_ outcome: Outcome, tenant: String, issuer: String) {
        counts.withLock { $0[Labels(tenant: tenant, issuer: issuer, outcome: outcome), default: 0] += 1 }
    }
}
