public import Counting
public import IdentityProvider
public import Tenants

/// What metrics tell of what instances share, as it was when they were asked for.
public struct SharedCount: Sendable {
    public var storeIsUp: Bool
    /// By tenant.
    public var revocations: [String: Int]
    /// Seconds; nil before the first load.
    public var staleness: Double?
    /// Ages in seconds; nil for a set that was never fetched.
    public var keySets: [(label: String, age: Double?)]
    /// By tenant, and what became of them.
    public var refreshes: [TenantIndex: [String: UInt64]] = [:]
    public var signIns = SignInCounts.Snapshot()
    public var limits: [LimitCount] = []
    /// Nil where nothing is traced.
    public var traces: TraceCounts?

    /// What is not given is as where nothing has happened, and nothing is limited or traced.
    public init(
        storeIsUp: Bool,
        revocations: [String: Int],
        staleness: Double?,
        keySets: [(label: String, age: Double?)]
    ) {
        self.storeIsUp = storeIsUp
        self.revocations = revocations
        self.staleness = staleness
        self.keySets = keySets
    }
}
