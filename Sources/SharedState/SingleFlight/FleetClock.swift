import Time

/// The source of time and randomness for state that instances share, so that tests can skip days.
public struct FleetClock: Sendable {
    var monotonic: @Sendable () -> MonotonicTime
    var unix: @Sendable () -> UnixTime
    /// Returns at that time, or earlier when its task is cancelled.
    var sleep: @Sendable (_ until: MonotonicTime) async -> Void
    /// At least 0 and less than 1.
    var random: @Sendable () -> Double

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
