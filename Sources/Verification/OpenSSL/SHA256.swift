import COpenSSL

/// SHA-256 (FIPS 180-4), for thumbprints and identifiers.
public enum SHA256 {
    /// The digest of `bytes`: 32 bytes.
    public static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: HashFunction.sha256.size)
        var size = 0
        let isDone = EVP_Q_digest(nil, HashFunction.sha256.rawValue, nil, bytes, bytes.count, &output, &size) == 1
        precondition(isDone && size == output.count, "OpenSSL has no SHA-256 or no memory")
        return output
    }
}
