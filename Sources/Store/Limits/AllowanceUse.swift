import Time

/// Requests that one instance has allowed against an allowance shared by all instances.
///
/// The only state of a key is the time at which its allowance will be full again if no more requests are allowed. Each
/// request moves it on by ``interval`` (the generic cell rate algorithm's theoretical arrival time).
public struct AllowanceUse: Sendable, Equatable {
    public let key: StoreKey
    /// How many requests; 0 only reads.
    public let count: Int
    /// Microseconds after which one request is restored.
    public let interval: Int64
    /// The maximum microseconds that the time may be ahead: beyond that the clock must have been set back, and the key
    /// starts again.
    public let most: Int64

    public init(key: StoreKey, count: Int, interval: Int64, most: Int64) {
        self.key = key
        self.count = count
        self.interval = interval
        self.most = most
    }
}

/// The arithmetic of a use, for stores that compute it here.
struct AllowanceTime {
    /// Microseconds by which readings of the clock may be out of order.
    static let tolerance: Int64 = 1_000_000

    /// - Parameters:
    ///   - wholeAt: The stored time, in Unix microseconds; nil for none.
    ///   - now: Unix microseconds.
    /// - Returns: When the allowance is full again after `use`, in Unix microseconds.
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
