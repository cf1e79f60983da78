import Time

/// What a use of the single flight takes its time for. All times are in nanoseconds.
struct FleetFlightRules: Sendable {
    /// Clocks may go at different speeds, and messages take time.
    static let leaseMargin: UInt64 = 250_000_000

    /// How long the lease is held without a renewal.
    let leaseDuration: UInt64
    let renewalInterval: UInt64
    /// How long the store may be away before it is given up: a short pause of it must not lead two instances to call.
    var patienceWithStore: UInt64
    /// How often it must have been asked in vain: one question that gets no answer in time says little.
    var triesWithStore: Int
    /// The same if another instance was seen to have the lease: that one may have a value by then, or its lease has run
    /// out.
    var patienceWithHolder: UInt64
    let pauseForStore: UInt64 = 250_000_000
    /// Whether the call is made without the lease once the store is given up.
    var goesAlone: Bool
    /// Between two looks while another instance has the lease.
    var lookInterval: UInt64
    /// For how long a lease that another instance was seen to have is not asked for, even if that one gives it back.
    var takeOverAfter: UInt64
    var mostCalls: Int
    let pauseBetweenCalls: UInt64 = 1_000_000_000
    /// With less time left no call is begun.
    var callDuration: UInt64
    /// The longest that all of it takes.
    var limit: UInt64

    var lease: Duration { .nanoseconds(Int64(clamping: leaseDuration)) }

    /// Until when a lease is held for certain that the store was asked for at this time.
    func certainEnd(from asked: MonotonicTime) -> MonotonicTime { asked + leaseDuration - Self.leaseMargin }
}
