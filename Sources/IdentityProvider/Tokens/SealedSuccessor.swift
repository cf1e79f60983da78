/// A refresh token's successor, kept for a client that presents the old one again because the response was lost. Only
/// the old token opens it: read access to the store reveals neither.
enum SealedSuccessor {
    private static let purpose = "refresh token successor"

    /// - Parameter tenant: The session's tenant; a value sealed for one opens for no other.
    /// - Returns: Nil if sealing failed.
    static func seal(_ successor: RefreshToken, with old: RefreshToken, tenant: String) -> [UInt8]? {
        CredentialSeal.seal(successor.bytes, with: old.bytes, purpose: purpose, context: tenant)
    }

    /// - Returns: Nil if `old` does not open it.
    static func open(_ sealed: [UInt8], with old: RefreshToken, tenant: String) -> RefreshToken? {
        CredentialSeal.open(sealed, with: old.bytes, purpose: purpose, context: tenant)
            .flatMap { RefreshToken(bytes: $0) }
    }
}
