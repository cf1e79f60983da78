extension Duration {
    public var secondsAsDouble: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// Whole nanoseconds, at most 2^62.
    public var nanosecondsClamped: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds < 1 << 32 else { return 1 << 62 }
        return UInt64(clamping: seconds) * 1_000_000_000 + UInt64(clamping: attoseconds / 1_000_000_000)
    }
}
