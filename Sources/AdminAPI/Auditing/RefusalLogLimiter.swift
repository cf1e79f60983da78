import Time

/// Limits log lines about refused access to one a second, so that a client that tries many tokens does not fill the disk.
struct RefusalLogLimiter: Sendable {
    /// Nanoseconds.
    static let interval: UInt64 = 1_000_000_000

    private var lastLine: MonotonicTime?
    private var skipped = 0

    /// - Returns: How many refusals were skipped since the last line; nil if this one is skipped too.
    mutating func admit(at now: MonotonicTime) -> Int? {
        if let lastLine, now < lastLine + Self.interval {
            skipped += 1
            return nil
        }
        defer { skipped = 0 }
        lastLine = now
        return skipped
    }
}
