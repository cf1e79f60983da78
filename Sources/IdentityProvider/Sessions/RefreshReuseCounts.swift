import Synchronization

/// Counts refresh tokens that were used again after the window for lost responses, for metrics.
public final class RefreshReuseCounts: Sendable {
    /// What came of it: a closed set, for use as a label.
    public enum Outcome: String, Sendable, CaseIterable {
        /// The session was ended.
        case ended
        /// The token's successor was issued again.
        case answered
        /// The token was refused, and its session goes on.
        case refused
    }

    /// Labels of `gatehouse_refresh_token_reuses_total`.
    public struct Labels: Sendable, Hashable {
        public var tenant: String
        public var outcome: Outcome

        public init(tenant: String, outcome: Outcome) {
            self.tenant = tenant
            self.outcome = outcome
        }
    }

    private let counts = Mutex<[Labels: Int]>([:])

    public init() {}

    /// All counters at one moment.
    public func snapshot() -> [Labels: Int] { counts.withLock { $0 } }

    func add(_ outcome: Outcome, tenant: String) {
        counts.withLock { $0[Labels(tenant: tenant, outcome: outcome), default: 0] += 1 }
    }
}
