import Time

/// Where what instances share has its time and its chance from, so that tests can let seven days pass in no time.
public struct FleetClock: Sendable {
    var monotonic: @Sendable () -> MonotonicTime
    var unix: @Sendable () -> UnixTime
    /// Returns then, or early when its task is cancelled.
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

    /// A day; whoever sleeps longer looks at the time in between.
    private static let longestSleep: UInt64 = 86_400_000_000_000
}
