/// A time on the system's clock: for values that are sent, stored or compared with a date.
///
/// Differences are `Double` seconds. All comparisons are those of `Double`, so a value that is not a number is neither
/// before nor after any time.
@frozen
public struct UnixTime: Sendable, Hashable, Comparable {
    /// Seconds since 1970-01-01T00:00:00Z, with fractions.
    public let seconds: Double

    @inlinable
    public init(_ seconds: Double) { self.seconds = seconds }

    /// Later than every other time: never expires.
    @inlinable
    public static var distantFuture: UnixTime { UnixTime(.infinity) }

    /// Earlier than every other time.
    @inlinable
    public static var distantPast: UnixTime { UnixTime(-.infinity) }

    @inlinable
    public static func < (left: UnixTime, right: UnixTime) -> Bool { left.seconds < right.seconds }

    @inlinable
    public static func <= (left: UnixTime, right: UnixTime) -> Bool { left.seconds <= right.seconds }

    @inlinable
    public static func > (left: UnixTime, right: UnixTime) -> Bool { left.seconds > right.seconds }

    @inlinable
    public static func >= (left: UnixTime, right: UnixTime) -> Bool { left.seconds >= right.seconds }

    @inlinable
    public static func + (time: UnixTime, seconds: Double) -> UnixTime { UnixTime(time.seconds + seconds) }

    @inlinable
    public static func - (time: UnixTime, seconds: Double) -> UnixTime { UnixTime(time.seconds - seconds) }

    /// The seconds from `earlier` to `later`.
    @inlinable
    public static func - (later: UnixTime, earlier: UnixTime) -> Double { later.seconds - earlier.seconds }
}
