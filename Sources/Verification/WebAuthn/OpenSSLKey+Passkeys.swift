import COpenSSL

extension OpenSSLKey {
    /// Whether `signature` is this key's over `input`: an ECDSA signature in DER, unlike that of a JWS (WebAuthn Level
    /// 2 section 6.5.6).
    func hasSigned(_ input: [UInt8], _ signature: [UInt8], _ algorithm: SignatureAlgorithm) -> Bool {
        guard isOf(algorithm), !signature.isEmpty, let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?
        // Ed25519 hashes inside the scheme and must be given no digest.
        let digest = algorithm == .edDSA ? nil : algorithm.hash.rawValue
        let isGood =
            EVP_DigestVerifyInit_ex(context, &keyContext, digest, nil, nil, pointer, nil) == 1
            && RSAPadding.set(keyContext, algorithm.family)
            && EVP_DigestVerify(context, signature, signature.count, input, input.count) == 1
        if !isGood { ERR_clear_error() }
        return isGood
    }

    /// Whether it is of the kind that an algorithm takes: otherwise a signature of another kind could pass.
    private func isOf(_ algorithm: SignatureAlgorithm) -> Bool {
        switch (algorithm, publicKey) {
        case (.rs256, .rsa(let modulus, let exponent)): RSAModulus.problem(modulus: modulus, exponent: exponent) == nil
        case (.es256, .ellipticCurve(.p256, x: _, y: _)), (.edDSA, .ed25519): true
        default: false
        }
    }
}
