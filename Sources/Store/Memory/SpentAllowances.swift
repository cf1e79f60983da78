/// When the allowances of a ``MemoryStore`` will be whole again: those that are not.
struct SpentAllowances {
    /// How many keys there are at most.
    static let limit = 1 << 20

    private var wholeAt: [StoreKey: Int64] = [:]
    private var sweepAt = 1024

    var count: Int { wholeAt.count }

    /// - Parameter now: Unix microseconds.
    /// - Returns: Microseconds until it is whole again.
    mutating func use(_ use: AllowanceUse, now: Int64) -> Int64 {
        let time = AllowanceTime.after(use, wholeAt: wholeAt[use.key], now: now)
        guard time > now else {
            wholeAt[use.key] = nil
            return 0
        }
        if wholeAt.updateValue(time, forKey: use.key) == nil, wholeAt.count >= sweepAt { sweep(now: now) }
        return time - now
    }

    /// What is whole again goes; if that is not enough, the half that soonest will be.
    private mutating func sweep(now: Int64) {
        wholeAt = wholeAt.filter { $0.value > now }
        if wholeAt.count >= Self.limit {
            let times = wholeAt.values.sorted()
            let middle = times[times.count / 2]
            wholeAt = wholeAt.filter { $0.value > middle }
        }
        sweepAt = min(Self.limit, max(1024, wholeAt.count * 2))
    }
}
