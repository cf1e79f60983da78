import Time

/// Where a ``RefreshService`` has its time from, so that tests can let it pass.
public struct RefreshClock: Sendable {
    var monotonic: @Sendable () -> MonotonicTime
    var unix: @Sendable () -> UnixTime
    /// Returns then, or early when its task is cancelled.
    var sleep: @Sendable (_ until: MonotonicTime) async -> Void

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
