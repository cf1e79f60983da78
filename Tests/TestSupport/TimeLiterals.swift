public import Time

/// Tests write times as plain numbers: Unix seconds, and nanoseconds of the monotonic clock.
extension UnixTime: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    public init(integerLiteral seconds: Int) { self.init(Double(seconds)) }

    public init(floatLiteral seconds: Double) { self.init(seconds) }
}

extension MonotonicTime: ExpressibleByIntegerLiteral {
    public init(integerLiteral nanoseconds: UInt64) { self.init(nanoseconds: nanoseconds) }
}

extension MonotonicTime {
    /// So long after the clock began to count.
    public static func after(_ nanoseconds: UInt64) -> MonotonicTime { MonotonicTime(nanoseconds: nanoseconds) }
}

/// Clocks of tests are moved by hand.
extension UnixTime {
    public static func += (time: inout UnixTime, seconds: Double) { time = time + seconds }
}

extension MonotonicTime {
    public static func += (time: inout MonotonicTime, nanoseconds: UInt64) { time = time + nanoseconds }
}
