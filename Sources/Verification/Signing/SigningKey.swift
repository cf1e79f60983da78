/// A signing key: a private key or a secret, as bytes. Its description shows nothing.
public final class SigningKey: Sendable {
    /// The kinds of private key that can be made.
    public enum Kind: Sendable, Equatable {
        /// RSA with a modulus of this many bits, 2048 or more.
        case rsa(bits: Int)
        case p256
        case p384
        case p521
        case ed25519
    }

    enum Material: Sendable {
        case secret([UInt8])
        /// PKCS#8 in DER.
        case privateKey([UInt8], PublicKey)
    }

    let material: Material

    private init(_ material: Material) {
        self.material = material
    }

    /// A secret for HMAC; signing checks whether it is long enough for the algorithm (RFC 7518 section 3.2).
    public convenience init(secret: [UInt8]) {
        self.init(.secret(secret))
    }

    /// The private key of a PEM text: PKCS#8 (`PRIVATE KEY`), or the older `RSA PRIVATE KEY` and `EC PRIVATE KEY`.
    public convenience init(pem: [UInt8]) throws(SigningError) {
        guard let block = PEM.blocks(pem)?.first(where: { Self.labels.contains($0.label) }) else {
            throw .notAPrivateKey
        }
        try self.init(der: block.content)
    }

    /// The private keys of a PEM text, in its order; never empty. What is no key between them is passed over.
    ///
    /// - Throws: ``SigningError/encrypted`` or ``SigningError/publicKey`` if there are only such.
    public static func all(pem: [UInt8]) throws(SigningError) -> [SigningKey] {
        let blocks = PEM.blocks(pem) ?? []
        let keys = try blocks.filter { labels.contains($0.label) }
            .map { (block) throws(SigningError) in try SigningKey(der: block.content) }
        guard keys.isEmpty else { return keys }
        if blocks.contains(where: { $0.label == "ENCRYPTED PRIVATE KEY" }) { throw .encrypted }
        if blocks.contains(where: { $0.label.hasSuffix("PUBLIC KEY") || $0.label == "CERTIFICATE" }) {
            throw .publicKey
        }
        throw .notAPrivateKey
    }

    private static let labels = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"]

    /// - Parameter der: As ``OpenSSLKey`` reads it.
    convenience init(der: [UInt8]) throws(SigningError) {
        guard let key = OpenSSLKey(privateKey: der) else { throw .notAPrivateKey }
        try self.init(key)
    }

    private convenience init(_ key: OpenSSLKey) throws(SigningError) {
        guard let publicKey = key.publicKey, let pkcs8 = key.pkcs8 else { throw .unsupportedKey }
        if case .rsa(let modulus, let exponent) = publicKey,
            RSAModulus.problem(modulus: modulus, exponent: exponent) != nil
        {
            throw .weakKey
        }
        self.init(.privateKey(pkcs8, publicKey))
    }

    /// Makes a new private key.
    public static func generate(_ kind: Kind) throws(SigningError) -> SigningKey {
        guard let key = OpenSSLKey(generating: kind.generationParameters) else { throw .notGenerated }
        return try SigningKey(key)
    }

    /// The private key as PKCS#8 PEM (RFC 5958, RFC 7468), unencrypted; nil for a secret. For a file of mode 0600.
    public var privateKeyPEM: String? {
        guard case .privateKey(let pkcs8, _) = material else { return nil }
        return PEM.text(label: "PRIVATE KEY", pkcs8)
    }

    /// The public half as PEM; nil for a secret.
    public var publicKeyPEM: String? {
        guard case .privateKey(_, let key) = material else { return nil }
        return PEM.text(label: "PUBLIC KEY", key.subjectPublicKeyInfo)
    }

    /// The public half as a JWK for verification, with its thumbprint (RFC 7638) as `kid`; nil for a secret.
    ///
    /// - Parameter algorithm: The `alg` to name; nil for none.
    public func publicJWK(algorithm: SignatureAlgorithm? = nil) -> JSONObject? {
        guard case .privateKey(_, let key) = material else { return nil }
        var jwk = key.jsonWebKeyMembers
        jwk["use"] = "sig"
        jwk["kid"] = .string(key.thumbprint)
        if let algorithm { jwk["alg"] = .string(algorithm.rawValue) }
        return jwk
    }

    /// The JWK thumbprint of the public half (RFC 7638, SHA-256, base64url); nil for a secret.
    public var thumbprint: String? {
        guard case .privateKey(_, let key) = material else { return nil }
        return key.thumbprint
    }

    /// The algorithms that it can sign with.
    public var algorithms: [SignatureAlgorithm] {
        switch material {
        case .secret(let bytes): KeyMaterial.secret(bytes).algorithms
        case .privateKey(_, let key): KeyMaterial.publicKey(key).algorithms
        }
    }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    public var description: String { "signing key (\(algorithms.map(\.rawValue).joined(separator: ", ")))" }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension SigningKey.Kind {
    var generationParameters: OpenSSLKey.GenerationParameters {
        switch self {
        case .rsa(let bits): .rsa(bits: bits)
        case .p256: .ellipticCurve(.p256)
        case .p384: .ellipticCurve(.p384)
        case .p521: .ellipticCurve(.p521)
        case .ed25519: .ed25519
        }
    }
}
