import Glibc

/// Unix seconds, as a store reads them. Stores share expiry times between processes, so that it has to be this clock;
/// tests give one of their own.
public typealias UnixClock = @Sendable () -> Double

extension Duration {
    /// In seconds, as they are added to Unix time.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}

/// - Returns: The system's Unix time.
public func systemUnixTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
}
