import Time

/// One moment, on both of the system's clocks.
struct KeySetMoment: Sendable, Equatable {
    /// Seconds that only go forward; what happens within this process is measured by them.
    var monotonic: Double
    /// For what is shared with other processes.
    var unix: UnixTime
}

/// Where a service of key sets has its time and its chance from, so that tests can give it seven days in no time.
public struct KeySetClock: Sendable {
    var now: @Sendable () -> KeySetMoment
    /// Returns at the given monotonic second, or early when its task is cancelled.
    var sleep: @Sendable (_ until: Double) async -> Void
    /// At least 0 and less than 1.
    var random: @Sendable () -> Double

    public static let system = KeySetClock(
        now: { KeySetMoment(monotonic: monotonicSeconds(), unix: Clock.unix()) },
        sleep: { until in
            let seconds = min(until - monotonicSeconds(), longestSleep)
            if seconds > 0 { try? await Task.sleep(for: .seconds(seconds)) }
        },
        random: { Double.random(in: 0..<1) }
    )

    /// A day; whoever sleeps longer looks at the time in between.
    private static let longestSleep = 86_400.0

    private static func monotonicSeconds() -> Double { Double(Clock.monotonic().nanoseconds) / 1_000_000_000 }
}
