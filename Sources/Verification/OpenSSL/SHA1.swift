import COpenSSL

/// SHA-1 (FIPS 180-4), only for the opening handshake of WebSocket (RFC 6455 section 4.2.2), where it shows that a
/// server has read the request. It is broken as a hash, and no security may depend on it.
public enum SHA1 {
    private static let size = 20

    /// The digest of `bytes`: 20 bytes.
    public static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: Self.size)
        var size = 0
        let isDone = EVP_Q_digest(nil, "SHA1", nil, bytes, bytes.count, &output, &size) == 1
        precondition(isDone && size == output.count, "OpenSSL has no SHA-1 or no memory")
        return output
    }
}
