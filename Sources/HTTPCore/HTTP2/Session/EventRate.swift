/// Limits the rate of an event, as a token bucket: a burst, and so many per second after it.
///
/// Stored as the time at which the bucket will be full again (the generic cell rate algorithm), so that it is one
/// number and needs no timer.
public struct EventRate: Sendable {
    private let interval: UInt64
    private let tolerance: UInt64
    private var fullAt: UInt64 = 0

    init(_ rate: HTTP2Limits.Rate) {
        interval = 1_000_000_000 / UInt64(max(1, rate.perSecond))
        tolerance = interval * UInt64(max(0, rate.burst - 1))
    }

    /// Counts one event; false if it is one too many.
    ///
    /// - Parameter now: In nanoseconds, never less than before.
    mutating func allows(at now: UInt64) -> Bool {
        let begin = max(fullAt, now)
        guard begin - now <= tolerance else { return false }
        fullAt = begin + interval
        return true
    }

    /// Allows `count` more events at once, but never more than a burst in all.
    mutating func give(back count: Int) {
        let credit = interval * UInt64(count)
        fullAt = fullAt > credit ? fullAt - credit : 0
    }
}
