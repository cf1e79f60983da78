import Tenants
package import Time

/// One limit's numbers, for the generic cell rate algorithm (ITU-T I.371): a key's theoretical arrival time is when its
/// allowance is full again, and each request moves it on by one interval. A request is allowed if afterwards the time
/// is at most one full burst ahead of now. All times are Unix microseconds.
package struct Allowance: Sendable, Equatable {
    /// Between two requests at the limit's rate; rounded up, so that the rate is never exceeded.
    package let interval: UInt64
    /// The time in which a whole burst is restored.
    package let capacity: UInt64
    /// How far ahead an arrival time can be. Beyond that the clock was set back.
    package let most: UInt64
    /// Requests that may be allowed before the store knows of them; nil for a limit of this instance only.
    package let ahead: UInt64?

    /// The number of instances that a shared arrival time allows for.
    private static let maximumInstances: UInt64 = 256
    /// By how much the clock readings of event loops may differ without meaning that the clock was set back.
    private static let tolerance: UInt64 = 1_000_000

    init(_ limit: RateLimit) {
        let (seconds, attoseconds) = limit.period.components
        let period = UInt64(clamping: seconds) * 1_000_000 + UInt64(clamping: attoseconds / 1_000_000_000_000)
        let count = UInt64(max(1, limit.count))
        let burst = UInt64(max(1, limit.burst))
        interval = max(1, (period + count - 1) / count)
        capacity = interval * burst
        let ahead = UInt64(max(1, min(limit.ahead, limit.burst)))
        self.ahead = limit.isShared ? ahead : nil
        most = capacity + (limit.isShared ? interval * ahead * Self.maximumInstances : 0)
    }

    /// Whether the clock must have been set back since this arrival time was stored. It must be replaced then:
    /// otherwise it would block its key until the clock has caught up.
    func isAstray(_ arrival: UInt64, at now: UInt64) -> Bool { arrival > now + most + Self.tolerance }

    /// The effective arrival time for a request at `now`. One that is astray counts as a burst that was just used up.
    func bearing(_ arrival: UInt64, at now: UInt64) -> UInt64 {
        isAstray(arrival, at: now) ? now + capacity : min(max(arrival, now), now + most)
    }

    /// Whether a request is allowed.
    ///
    /// - Parameter arrival: The effective one.
    package func allows(_ arrival: UInt64, at now: UInt64) -> Bool { arrival + interval <= now + capacity }

    /// Microseconds until the next request is allowed; 0 if one is allowed now.
    package func wait(_ arrival: UInt64, at now: UInt64) -> UInt64 {
        allows(arrival, at: now) ? 0 : arrival + interval - now - capacity
    }

    /// How many requests are allowed at once.
    package func remaining(_ arrival: UInt64, at now: UInt64) -> UInt64 {
        allows(arrival, at: now) ? (now + capacity - arrival) / interval : 0
    }

    /// Whole microseconds since 1970.
    package static func microseconds(_ time: UnixTime) -> UInt64 {
        UInt64(min(max(0, time.seconds), 1e9 * 8) * 1_000_000)
    }
}
