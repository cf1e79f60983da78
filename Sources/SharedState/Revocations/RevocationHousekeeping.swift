import Time

/// Schedules the removal of expired revocations: from the store about once a minute by each instance, from memory less
/// often, since that visits all entries.
struct RevocationHousekeeping {
    private static let storeInterval: UInt64 = 60_000_000_000
    private static let memoryInterval: UInt64 = 600_000_000_000

    private var nextStore: MonotonicTime
    private var nextMemory: MonotonicTime

    init(now: MonotonicTime) {
        nextStore = now + UInt64.random(in: 0...Self.storeInterval)
        nextMemory = now + Self.memoryInterval
    }

    /// The time until the next removal is due.
    func rest(at now: MonotonicTime) -> Duration {
        let next = min(nextStore, nextMemory)
        return .nanoseconds(Int64(clamping: next > now ? next - now : 0))
    }

    mutating func due(at now: MonotonicTime) -> (store: Bool, memory: Bool) {
        let due = (store: now >= nextStore, memory: now >= nextMemory)
        if due.store { nextStore = now + Self.storeInterval }
        if due.memory { nextMemory = now + Self.memoryInterval }
        return due
    }
}
