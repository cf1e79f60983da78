extension Lease {
    /// 128 random bits, so that no holder can release another's lease.
    static func newHolder() -> String {
        var generator = SystemRandomNumberGenerator()
        return RevocationDigest(high: generator.next(), low: generator.next()).text
    }
}
