import Time

/// One moment, on both of the system's clocks.
struct ClockReading: Sendable, Equatable {
    /// Seconds that only go forward; what happens within this process is measured by them.
    var monotonic: Double
    /// For what is shared with other processes.
    var unix: UnixTime
}

extension FleetClock {
    func moment() -> ClockReading {
        ClockReading(monotonic: Double(monotonic().nanoseconds) / 1_000_000_000, unix: unix())
    }

    /// Returns at the given monotonic second, or early when its task is cancelled.
    func sleep(untilSecond second: Double) async {
        await sleep(MonotonicTime(nanoseconds: UInt64((min(max(second, 0), 1e10) * 1_000_000_000).rounded(.up))))
    }
}
