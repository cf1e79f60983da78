import COpenSSL

extension OpenSSLKey {
    /// Signs with an RSA, EC or Ed25519 private key. The key is only read, and each signature has a context of its own.
    ///
    /// - Parameter algorithm: One for this kind of key.
    /// - Returns: As OpenSSL writes it, an ECDSA signature in DER; nil if none was made.
    func signature(over input: [UInt8], _ algorithm: SignatureAlgorithm) -> [UInt8]? {
        guard let made = unclearedSignature(over: input, algorithm) else {
            // A failure leaves its reasons in a queue of this thread, which is not read.
            ERR_clear_error()
            return nil
        }
        return made
    }

    private func unclearedSignature(over input: [UInt8], _ algorithm: SignatureAlgorithm) -> [UInt8]? {
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?
        // Ed25519 hashes inside the scheme and must be given no digest.
        let digest = algorithm == .edDSA ? nil : algorithm.hash.rawValue
        guard EVP_DigestSignInit_ex(context, &keyContext, digest, nil, nil, pointer, nil) == 1,
            RSAPadding.set(keyContext, algorithm.family)
        else { return nil }
        var length = 0
        guard EVP_DigestSign(context, nil, &length, input, input.count) == 1 else { return nil }
        var signature = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSign(context, &signature, &length, input, input.count) == 1 else { return nil }
        return Array(signature.prefix(length))
    }
}
