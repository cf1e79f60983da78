import Time

/// Requests that one instance has let through against an allowance that all instances share.
///
/// What is kept of a key is one time: when its allowance will be whole again, if nothing more is let through. Each
/// request moves it on by ``interval`` (the generic cell rate algorithm's theoretical arrival time).
public struct AllowanceUse: Sendable, Equatable {
    public let key: StoreKey
    /// How many requests; 0 only asks.
    public let count: Int
    /// Microseconds after which one request is made up for.
    public let interval: Int64
    /// Microseconds that the time may lie ahead at most: beyond that the clock must have been set back, and the key
    /// begins anew.
    public let most: Int64

    public init(key: StoreKey, count: Int, interval: Int64, most: Int64) {
        self.key = key
        self.count = count
        self.interval = interval
        self.most = most
    }
}

/// The arithmetic of a use, for the stores that do it here.
struct AllowanceTime {
    /// Microseconds by which readings of the clock may overtake one another.
    static let tolerance: Int64 = 1_000_000

    /// - Parameters:
    ///   - wholeAt: What is on record, in Unix microseconds; nil for nothing.
    ///   - now: Unix microseconds.
    /// - Returns: When the allowance is whole again after `use`, in Unix microseconds.
    static func after(_ use: AllowanceUse, wholeAt: Int64?, now: Int64) -> Int64 {
        var known = max(wholeAt ?? now, now)
        if known - now > use.most + tolerance { known = now }
        return min(min(known, now + use.most) + Int64(use.count) * use.interval, now + use.most)
    }

    /// Whole microseconds since 1970.
    static func microseconds(_ time: UnixTime) -> Int64 {
        Int64(exactly: (time.seconds * 1_000_000).rounded(.down)) ?? 0
    }

    static func unixTime(_ microseconds: Int64) -> UnixTime { UnixTime(Double(microseconds) / 1_000_000) }
}
