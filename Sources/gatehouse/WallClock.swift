import Glibc

/// The system's clock: the one place of the program that is asked for the time of day.
enum WallClock {
    /// Unix seconds.
    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
