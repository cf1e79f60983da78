public import Time

/// The time, as a store reads it. Stores share expiry times between processes, so that it has to be this clock;
/// tests give one of their own.
public typealias UnixClock = @Sendable () -> UnixTime

extension Duration {
    /// In seconds, as they are added to Unix time.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
