/// The allowances of a ``MemoryStore`` that are not full, with the times when they will be.
struct SpentAllowances {
    /// The maximum number of keys.
    static let limit = 1 << 20

    private var wholeAt: [StoreKey: Int64] = [:]
    private var sweepAt = 1024

    var count: Int { wholeAt.count }

    /// - Parameter now: Unix microseconds.
    /// - Returns: Microseconds until it is full again.
    mutating func use(_ use: AllowanceUse, now: Int64) -> Int64 {
        let time = AllowanceTime.after(use, wholeAt: wholeAt[use.key], now: now)
        guard time > now else {
            wholeAt[use.key] = nil
            return 0
        }
        if wholeAt.updateValue(time, forKey: use.key) == nil, wholeAt.count >= sweepAt { sweep(now: now) }
        return time - now
    }

    /// Removes full ones; if that is not enough, also the half that will be full soonest.
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
