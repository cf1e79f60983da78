import Time

/// Which of the requests that were not let in are told: a line a second at most, so that whoever tries many tokens fills
/// no disk. A value without a clock.
struct RefusalPace: Sendable {
    /// Nanoseconds.
    static let interval: UInt64 = 1_000_000_000

    private var toldAt: MonotonicTime?
    private var untold = 0

    /// - Returns: How many were passed over since the last line; nil where this one is passed over as well.
    mutating func tell(at now: MonotonicTime) -> Int? {
        if let toldAt, now < toldAt + Self.interval {
            untold += 1
            return nil
        }
        defer { untold = 0 }
        toldAt = now
        return untold
    }
}
