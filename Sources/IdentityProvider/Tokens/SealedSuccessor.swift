import Crypto

/// A refresh token's successor, kept for a client that presents the old one again because the response was lost. Only
/// the old token opens it (HKDF-SHA256, RFC 5869, into AES-256-GCM): read access to the store reveals neither.
enum SealedSuccessor {
    private static let purpose = Array("gatehouse refresh token successor".utf8)

    /// - Parameter tenant: The session's tenant; a value sealed for one opens for no other.
    /// - Returns: Nonce, ciphertext and tag; nil if sealing failed.
    static func seal(_ successor: RefreshToken, with old: RefreshToken, tenant: String) -> [UInt8]? {
        let box = try? AES.GCM.seal(successor.bytes, using: key(old), authenticating: Array(tenant.utf8))
        return box?.combined.map(Array.init)
    }

    /// - Returns: Nil if `old` does not open it.
    static func open(_ sealed: [UInt8], with old: RefreshToken, tenant: String) -> RefreshToken? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let bytes = try? AES.GCM.open(box, using: key(old), authenticating: Array(tenant.utf8))
        else { return nil }
        return RefreshToken(bytes: Array(bytes))
    }

    private static func key(_ old: RefreshToken) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: SymmetricKey(data: old.bytes), info: purpose, outputByteCount: 32)
    }
}
