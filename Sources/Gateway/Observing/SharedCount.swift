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

    init(_ shared: SharedState) async {
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
