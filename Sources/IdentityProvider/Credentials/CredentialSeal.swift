import Verification

/// Seals a value so that only the holder of a credential can open it: HKDF-SHA256 (RFC 5869) into AES-256-GCM. The
/// store keeps the sealed value under a hash of the credential, so that read access to the store reveals neither.
enum CredentialSeal {
    /// - Parameters:
    ///   - credential: At least 128 unguessable bits.
    ///   - purpose: A value sealed for one purpose opens for no other.
    ///   - context: Authenticated with the value; nil for the purpose.
    /// - Returns: Nonce, ciphertext and tag; nil if sealing failed.
    static func seal(
        _ value: [UInt8],
        with credential: [UInt8],
        purpose: String,
        context: String? = nil
    ) -> [UInt8]? {
        AESGCM.seal(value, key: key(credential, purpose), authenticating: Array((context ?? purpose).utf8))
    }

    /// - Returns: Nil if the credential does not open it.
    static func open(
        _ sealed: [UInt8],
        with credential: [UInt8],
        purpose: String,
        context: String? = nil
    ) -> [UInt8]? {
        AESGCM.open(sealed, key: key(credential, purpose), authenticating: Array((context ?? purpose).utf8))
    }

    private static func key(_ credential: [UInt8], _ purpose: String) -> [UInt8] {
        HKDF.key(of: credential, info: Array("gatehouse \(purpose)".utf8))
    }
}
