/// Keys of a secret (RFC 5869), with SHA-256.
public enum HKDF {
    /// - Parameters:
    ///   - secret: Has to be unguessable; a password is not.
    ///   - info: Another one gives another key.
    ///   - count: The key's bytes, at most 255 times 32.
    public static func key(of secret: [UInt8], salt: [UInt8] = [], info: [UInt8], count: Int = 32) -> [UInt8] {
        precondition(count <= 255 * 32, "HKDF gives 255 blocks")
        let extracted = HMACSHA256.code(of: secret, key: salt)
        var key: [UInt8] = []
        var block: [UInt8] = []
        var number: UInt8 = 1
        while key.count < count {
            block = HMACSHA256.code(of: block + info + [number], key: extracted)
            key += block
            number &+= 1
        }
        return Array(key.prefix(count))
    }
}
