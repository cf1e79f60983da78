import COpenSSL

/// RSA and ECDSA: the input is hashed, then the hash verified. Both contexts are reused for all tokens.
final class DigestSignatureContext: SignatureContext {
    private let context: OpaquePointer
    private let digest: MessageDigest
    private let family: SignatureAlgorithm.Family
    private let signatureLength: Int

    /// - Parameter signatureLength: The only length in bytes that a signature may have.
    init?(_ key: OpenSSLKey?, _ algorithm: SignatureAlgorithm, signatureLength: Int) {
        guard let key, let digest = MessageDigest(algorithm.hash),
            // The context holds its own reference to the key.
            let context = EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil)
        else { return nil }
        guard EVP_PKEY_verify_init(context) == 1, RSAPadding.set(context, algorithm.family),
            EVP_PKEY_CTX_set_signature_md(context, digest.function) == 1
        else {
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
            return nil
        }
        self.context = context
        self.digest = digest
        family = algorithm.family
        self.signatureLength = signatureLength
    }

    deinit {
        EVP_PKEY_CTX_free(context)
    }

    func isValid(_ signature: [UInt8], over input: Span<UInt8>) -> Bool {
        guard signature.count == signatureLength, let hash = digest.digest(input) else { return false }
        let encoded = family == .ecdsa ? ECDSASignature.der(fromRaw: signature) : signature
        let isGood = EVP_PKEY_verify(context, encoded, encoded.count, hash, hash.count) == 1
        if !isGood { ERR_clear_error() }
        return isGood
    }
}
