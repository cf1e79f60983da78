import COpenSSL

/// HMAC (RFC 2104) with SHA-256.
public enum HMACSHA256 {
    /// The code of `message`: 32 bytes.
    public static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        // Keys are filled up with zeros (section 2), so this is the empty key; OpenSSL takes none for no key at all.
        let key = key.isEmpty ? [0] : key
        var code = [UInt8](repeating: 0, count: HashFunction.sha256.size)
        var size = 0
        let function = HashFunction.sha256.rawValue
        let isDone =
            EVP_Q_mac(
                nil,
                "HMAC",
                nil,
                function,
                nil,
                key,
                key.count,
                message,
                message.count,
                &code,
                code.count,
                &size
            ) != nil
        precondition(isDone && size == code.count, "OpenSSL has no HMAC or no memory")
        return code
    }
}
