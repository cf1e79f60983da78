import COpenSSL

/// Ed25519 (RFC 8037 section 3.1), which takes the whole input at once.
final class EdDSAContext: SignatureContext {
    private static let signatureLength = 64
    private let context: OpaquePointer
    private let key: OpenSSLKey

    init?(_ key: OpenSSLKey?) {
        guard let key, let context = EVP_MD_CTX_new() else { return nil }
        self.key = key
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    func isValid(_ signature: [UInt8], over input: Span<UInt8>) -> Bool {
        guard signature.count == Self.signatureLength else { return false }
        let isGood = input.withUnsafeBytes { bytes in
            EVP_DigestVerifyInit(context, nil, nil, nil, key.pointer) == 1
                && EVP_DigestVerify(
                    context,
                    signature,
                    signature.count,
                    bytes.assumingMemoryBound(to: UInt8.self).baseAddress,
                    bytes.count
                ) == 1
        }
        if !isGood { ERR_clear_error() }
        return isGood
    }
}
