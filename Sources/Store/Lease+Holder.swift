extension Lease {
    /// 128 random bits, so that nobody gives back what another holds.
    static func newHolder() -> String {
        var generator = SystemRandomNumberGenerator()
        return RevocationDigest(high: generator.next(), low: generator.next()).text
    }
}
