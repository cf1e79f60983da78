import Time

/// The limits of one use of the single flight. All times are in nanoseconds.
struct FleetFlightRules: Sendable {
    /// For clocks that run at different speeds, and for the time that messages take.
    static let leaseMargin: UInt64 = 250_000_000

    /// How long the lease is held unless renewed.
    let leaseDuration: UInt64
    let renewalInterval: UInt64
    /// How long the store may be away before it is given up: a short outage must not make two instances call.
    var storeOutageLimit: UInt64
    /// How often it must have failed: a single timeout proves little.
    var storeAttemptLimit: Int
    /// The same if another instance was seen to hold the lease: by then it has a value, or the lease has expired.
    var holderOutageLimit: UInt64
    let storeRetryDelay: UInt64 = 250_000_000
    /// Whether to call without the lease once the store is given up.
    var callsWithoutStore: Bool
    /// Between two lookups while another instance holds the lease.
    var lookupInterval: UInt64
    /// How long to wait for another instance that was seen to hold the lease, even if it releases the lease without a
    /// value.
    var takeOverAfter: UInt64
    var callLimit: Int
    let callRetryDelay: UInt64 = 1_000_000_000
    /// The time that must be left to begin a call.
    var callDuration: UInt64
    /// For the whole flight, except a call under way.
    var timeLimit: UInt64

    var lease: Duration { .nanoseconds(Int64(clamping: leaseDuration)) }

    /// The time until which a lease that was requested at `asked` is certainly held.
    func certainEnd(from asked: MonotonicTime) -> MonotonicTime { asked + leaseDuration - Self.leaseMargin }
}
