import Verification

/// A refresh token's successor, kept for a client that presents the old one again because the response was lost. Only
/// the old token opens it (HKDF-SHA256, RFC 5869, into AES-256-GCM): read access to the store reveals neither.
enum SealedSuccessor {
    private static let purpose = Array("gatehouse refresh token successor".utf8)

    /// - Parameter tenant: The session's tenant; a value sealed for one opens for no other.
    /// - Returns: Nonce, ciphertext and tag; nil if sealing failed.
    static func seal(_ successor: RefreshToken, with old: RefreshToken, tenant: String) -> [UInt8]? {
        AESGCM.seal(successor.bytes, key: key(old), authenticating: Array(tenant.utf8))
    }

    /// - Returns: Nil if `old` does not open it.
    static func open(_ sealed: [UInt8], with old: RefreshToken, tenant: String) -> RefreshToken? {
        AESGCM.open(sealed, key: key(old), authenticating: Array(tenant.utf8)).flatMap(RefreshToken.init(bytes:))
    }

    private static func key(_ old: RefreshToken) -> [UInt8] { HKDF.key(of: old.bytes, info: purpose) }
}
