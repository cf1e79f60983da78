/// What became of traces.
public struct TraceCounts: Sendable, Equatable {
    /// Those that the collector has taken.
    public var sent: UInt64
    public var dropped: UInt64

    public init(sent: UInt64 = 0, dropped: UInt64 = 0) {
        self.sent = sent
        self.dropped = dropped
    }
}
