import Glibc

/// The system's clocks, without Foundation: they are read several times per request.
public enum Clock {
    public static func monotonic() -> MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    public static func unix() -> UnixTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UnixTime(Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000)
    }
}
