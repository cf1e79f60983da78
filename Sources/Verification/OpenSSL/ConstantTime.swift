import COpenSSL

/// Comparison in a time that depends on the lengths alone.
public enum ConstantTime {
    /// Whether both hold the same bytes. Lengths are not secret: different ones are told apart at once.
    public static func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        first.count == second.count && CRYPTO_memcmp(first, second, first.count) == 0
    }
}
