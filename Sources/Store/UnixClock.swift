public import Time

/// The time, as a store reads it. Stores share expiry times between processes, so it has to be this clock; tests pass
/// their own.
public typealias UnixClock = @Sendable () -> UnixTime

extension Duration {
    /// In seconds, to add to Unix time.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
