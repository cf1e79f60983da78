import COpenSSL

/// Comparison in a time that depends only on the lengths.
public enum ConstantTime {
    /// Whether both have the same bytes. Lengths are not secret: a difference is returned at once.
    public static func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        first.count == second.count && CRYPTO_memcmp(first, second, first.count) == 0
    }
}
