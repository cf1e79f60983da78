/// When one event loop probes: all loops together stay within a bound, and not all probes are at the same moment.
/// Thousands of servers take a small part of a core, whatever their intervals are; beyond the bound the intervals grow.
struct ProbePacing {
    /// Probes a second of the whole process. Each opens a connection, which took 280 µs on a busy machine: together they
    /// stay below a twentieth of a core.
    static let mostPerSecond: UInt64 = 160
    /// A handshake costs about as much as this many probes without TLS.
    static let costOfTLS: UInt64 = 4
    /// So many servers of the process may be probed at once, so that a small configuration is known soon.
    static let mostAtOnce: UInt64 = 32

    private static let second: UInt64 = 1_000_000_000

    /// Between two probes of the loop, in nanoseconds.
    private let spacing: UInt64
    private let tolerance: UInt64
    /// When all probes so far would have begun, had each waited for its turn.
    private var last: UInt64 = 0

    /// - Parameter loops: How many event loops share the bound.
    init(loops: Int) {
        let loops = UInt64(max(1, loops))
        spacing = Self.second * loops / Self.mostPerSecond
        tolerance = spacing * (max(1, Self.mostAtOnce / loops) - 1)
    }

    /// Takes a turn for a probe that is due.
    ///
    /// - Parameters:
    ///   - now: In nanoseconds; never decreases.
    ///   - cost: In probes without TLS.
    /// - Returns: When it may begin: now, or later.
    mutating func turn(at now: UInt64, cost: UInt64 = 1) -> UInt64 {
        let begin = max(now, last > tolerance ? last - tolerance : 0)
        last = max(last, begin) + spacing * cost
        return begin
    }

    /// How long the first probe of a server waits before it is due, in nanoseconds: the servers of a large configuration
    /// are spread over their interval, also where several instances start together.
    ///
    /// - Parameters:
    ///   - interval: Of the server, in nanoseconds.
    ///   - count: How many servers the loop probes.
    ///   - random: Every value is equally likely.
    static func firstDelay(_ interval: UInt64, count: Int, random: UInt64) -> UInt64 {
        count > mostAtOnce ? random.multipliedFullWidth(by: interval).high : 0
    }
}
