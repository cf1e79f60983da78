import Crypto

/// Seals a value so that only the holder of a credential can open it: HKDF-SHA256 (RFC 5869) into AES-256-GCM. The
/// store keeps the sealed value under a hash of the credential, so that read access to the store reveals neither.
enum CredentialSeal {
    /// - Parameters:
    ///   - credential: At least 128 unguessable bits.
    ///   - purpose: A value sealed for one purpose opens for no other.
    /// - Returns: Nonce, ciphertext and tag; nil if sealing failed.
    static func seal(_ value: [UInt8], with credential: [UInt8], purpose: String) -> [UInt8]? {
        let box = try? AES.GCM.seal(value, using: key(credential, purpose), authenticating: Array(purpose.utf8))
        return box?.combined.map(Array.init)
    }

    /// - Returns: Nil if the credential does not open it.
    static func open(_ sealed: [UInt8], with credential: [UInt8], purpose: String) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
        let value = try? AES.GCM.open(box, using: key(credential, purpose), authenticating: Array(purpose.utf8))
        return value.map(Array.init)
    }

    private static func key(_ credential: [UInt8], _ purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: credential),
            info: Array("gatehouse \(purpose)".utf8),
            outputByteCount: 32
        )
    }
}
