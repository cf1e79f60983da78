import Time

/// One moment on both system clocks.
struct ClockReading: Sendable, Equatable {
    /// Monotonic seconds, for durations within this process.
    var monotonic: Double
    /// For data that is shared with other processes.
    var unix: UnixTime
}

extension FleetClock {
    func moment() -> ClockReading {
        ClockReading(monotonic: Double(monotonic().nanoseconds) / 1_000_000_000, unix: unix())
    }

    /// Returns at the given monotonic second, or earlier when its task is cancelled.
    func sleep(untilSecond second: Double) async {
        await sleep(MonotonicTime(nanoseconds: UInt64((min(max(second, 0), 1e10) * 1_000_000_000).rounded(.up))))
    }
}
