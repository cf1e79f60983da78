public import AccountDeletion
public import Adoption
public import Counting
public import Events
public import IdentityProvider
public import Tenants

/// The state shared by instances, for metrics.
public struct SharedCount: Sendable {
    public var storeIsUp: Bool
    /// By tenant.
    public var revocations: [String: Int]
    /// Seconds; nil before the first load.
    public var staleness: Double?
    /// Ages in seconds; nil for a set that was never fetched.
    public var keySets: [(label: String, age: Double?)]
    /// By tenant and outcome.
    public var refreshes: [TenantIndex: [String: UInt64]] = [:]
    public var signIns = SignInCounts.Snapshot()
    public var refreshReuses: [RefreshReuseCounts.Labels: Int] = [:]
    public var adoptions: [AdoptionCounts.Labels: Int] = [:]
    /// nil if no tenant's accounts are deleted.
    public var deletions: DeletionCounts.Snapshot?
    /// nil if nobody is told of events or logouts.
    public var outbox: OutboxCounts.Snapshot?
    public var limits: [LimitCount] = []
    /// nil if tenants come from files alone.
    public var storedTenants: (inForce: Int, faulty: Int)?
    /// nil without tracing.
    public var traces: TraceCounts?

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
