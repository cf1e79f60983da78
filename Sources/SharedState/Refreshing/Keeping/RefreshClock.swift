import Time

/// Where a ``RefreshKeeper`` has its time from, so that tests can let it pass.
public struct RefreshClock: Sendable {
    /// Nanoseconds that only go forward.
    var monotonic: @Sendable () -> UInt64
    /// Unix seconds.
    var unix: @Sendable () -> Double
    /// Returns at the given monotonic nanosecond, or early when its task is cancelled.
    var sleep: @Sendable (_ until: UInt64) async -> Void

    public static let system = RefreshClock(
        monotonic: { Clock.monotonic() },
        unix: { Clock.unix() },
        sleep: { until in
            let now = Clock.monotonic()
            if until > now { try? await Task.sleep(for: .nanoseconds(min(until - now, longestSleep))) }
        }
    )

    /// A day; whoever sleeps longer looks at the time in between.
    private static let longestSleep: UInt64 = 86_400_000_000_000
}
