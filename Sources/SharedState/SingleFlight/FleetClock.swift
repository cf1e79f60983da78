package import Time

/// The source of time and randomness for state that instances share, so that tests can skip days.
public struct FleetClock: Sendable {
    package var monotonic: @Sendable () -> MonotonicTime
    package var unix: @Sendable () -> UnixTime
    /// Returns at that time, or earlier when its task is cancelled.
    package var sleep: @Sendable (_ until: MonotonicTime) async -> Void
    /// At least 0 and less than 1.
    package var random: @Sendable () -> Double

    package init(
        monotonic: @escaping @Sendable () -> MonotonicTime,
        unix: @escaping @Sendable () -> UnixTime,
        sleep: @escaping @Sendable (_ until: MonotonicTime) async -> Void,
        random: @escaping @Sendable () -> Double
    ) {
        self.monotonic = monotonic
        self.unix = unix
        self.sleep = sleep
        self.random = random
    }

    public static let system = FleetClock(
        monotonic: { Clock.monotonic() },
        unix: { Clock.unix() },
        sleep: { until in
            let now = Clock.monotonic()
            if until > now { try? await Task.sleep(for: .nanoseconds(min(until - now, longestSleep))) }
        },
        random: { Double.random(in: 0..<1) }
    )

    /// A day in nanoseconds; callers check the time after each sleep.
    private static let longestSleep: UInt64 = 86_400_000_000_000
}
