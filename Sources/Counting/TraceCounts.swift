/// Counts of traces by outcome.
public struct TraceCounts: Sendable, Equatable {
    /// Accepted by the collector.
    public var sent: UInt64
    public var dropped: UInt64

    public init(sent: UInt64 = 0, dropped: UInt64 = 0) {
        self.sent = sent
        self.dropped = dropped
    }
}
