import Counting
import Issuing
import Store

/// What metrics tell of what instances share, as it was when they were asked for.
struct SharedCount: Sendable {
    var storeIsUp: Bool
    /// By tenant.
    var revocations: [String: Int]
    /// Seconds; nil before the first load.
    var staleness: Double?
    /// Ages in seconds; nil for a set that was never fetched.
    var keySets: [(label: String, age: Double?)]
    /// By the tenant's place in the configuration, and what became of them.
    var refreshes: [Int: [String: UInt64]] = [:]
    var signIns = SignInCounts.Snapshot()
    var limits: [LimitCount] = []
    /// Nil where nothing is traced.
    var traces: TraceCounts?

    init(_ shared: SharedState) async {
        refreshes = await shared.refreshes.counts
        signIns = shared.desks.counts.snapshot()
        traces = shared.traces?.counts
        limits = shared.limits?.limiter.counts ?? []
        storeIsUp = shared.store.isUp
        revocations = await shared.revocations.counts
        staleness = await shared.revocations.staleness
        keySets = await shared.keySets.states().map { ($0.label, $0.ageSeconds) }
    }

    init(storeIsUp: Bool, revocations: [String: Int], staleness: Double?, keySets: [(label: String, age: Double?)]) {
        self.storeIsUp = storeIsUp
        self.revocations = revocations
        self.staleness = staleness
        self.keySets = keySets
    }
}
