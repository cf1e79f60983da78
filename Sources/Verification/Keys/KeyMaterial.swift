/// The contents of a key: values only, so that a key set can be shared; OpenSSL's objects are made from it per loop.
enum KeyMaterial: Sendable, Equatable {
    case secret([UInt8])
    case publicKey(PublicKey)

    var keyType: VerificationKey.KeyType {
        switch self {
        case .secret: .symmetric
        case .publicKey(.rsa): .rsa
        case .publicKey(.ellipticCurve): .ellipticCurve
        case .publicKey(.ed25519): .octetKeyPair
        }
    }

    var curve: String? {
        switch self {
        case .secret, .publicKey(.rsa): nil
        case .publicKey(.ellipticCurve(let curve, x: _, y: _)): curve.rawValue
        case .publicKey(.ed25519): PublicKey.ed25519Curve
        }
    }

    /// The algorithms that the kind and size of key can serve.
    var algorithms: [SignatureAlgorithm] {
        switch self {
        case .secret(let bytes): [.hs256, .hs384, .hs512].filter { bytes.count >= $0.hash.size }
        case .publicKey(.rsa): [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
        case .publicKey(.ellipticCurve(let curve, x: _, y: _)): [curve.algorithm]
        case .publicKey(.ed25519): [.edDSA]
        }
    }

    /// An OpenSSL context that verifies `algorithm` with this key, or nil if the two do not belong together.
    func context(for algorithm: SignatureAlgorithm) -> (any SignatureContext)? {
        switch (self, algorithm.family) {
        case (.secret(let bytes), .hmac): HMACContext(secret: bytes, hash: algorithm.hash)
        case (.publicKey(.rsa(modulus: let modulus, exponent: _)), .rsaPKCS1),
            (.publicKey(.rsa(modulus: let modulus, exponent: _)), .rsaPSS):
            DigestSignatureContext(loadedKey, algorithm, signatureLength: modulus.count)
        case (.publicKey(.ellipticCurve(let curve, x: _, y: _)), .ecdsa):
            DigestSignatureContext(loadedKey, algorithm, signatureLength: 2 * curve.coordinateSize)
        case (.publicKey(.ed25519), .edDSA): EdDSAContext(loadedKey)
        case (.secret, _), (.publicKey, _): nil
        }
    }

    private var loadedKey: OpenSSLKey? {
        if case .publicKey(let key) = self { OpenSSLKey(key) } else { nil }
    }
}
