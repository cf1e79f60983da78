import COpenSSL

/// SHA-256 (FIPS 180-4), for thumbprints and identifiers.
public enum SHA256 {
    /// Fetched once: by name at each use it costs more than hashing a token. Nothing changes what was fetched.
    private nonisolated(unsafe) static let function = EVP_MD_fetch(nil, HashFunction.sha256.rawValue, nil)

    /// The digest of `bytes`: 32 bytes.
    public static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: HashFunction.sha256.size)
        var size: UInt32 = 0
        let isDone = EVP_Digest(bytes, bytes.count, &output, &size, function, nil) == 1
        precondition(isDone && size == output.count, "OpenSSL has no SHA-256 or no memory")
        return output
    }
}
