/// A time on the monotonic clock: for timeouts and durations within this process.
///
/// Differences are `UInt64` nanoseconds. The clock counts from the system's start and is far from the end of its range;
/// no arithmetic here traps.
@frozen
public struct MonotonicTime: Sendable, Hashable, Comparable {
    public let nanoseconds: UInt64

    @inlinable
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// A deadline that is never met.
    @inlinable
    public static var distantFuture: MonotonicTime { MonotonicTime(nanoseconds: .max) }

    /// The start of the clock: not after any other time.
    @inlinable
    public static var distantPast: MonotonicTime { MonotonicTime(nanoseconds: 0) }

    @inlinable
    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }

    @inlinable
    public static func + (time: MonotonicTime, nanoseconds: UInt64) -> MonotonicTime {
        MonotonicTime(nanoseconds: time.nanoseconds &+ nanoseconds)
    }

    /// ``distantPast`` if the clock had not started by then.
    @inlinable
    public static func - (time: MonotonicTime, nanoseconds: UInt64) -> MonotonicTime {
        time.nanoseconds > nanoseconds ? MonotonicTime(nanoseconds: time.nanoseconds &- nanoseconds) : .distantPast
    }

    /// The nanoseconds from `earlier` to `later`; 0 if `earlier` is the later one.
    @inlinable
    public static func - (later: MonotonicTime, earlier: MonotonicTime) -> UInt64 {
        later.nanoseconds > earlier.nanoseconds ? later.nanoseconds &- earlier.nanoseconds : 0
    }
}
