public import Time

/// A parsed DPoP proof (RFC 9449 section 4.2): well formed, with a public key that fits its algorithm, and no more.
/// ``check(_:at:)`` compares it with its request, ``verifySignature()`` uses its own key; nothing in it may be trusted
/// before both.
public struct DPoPProof: Sendable {
    /// The longest proof that is looked at, in bytes.
    public static let maximumLength = 8 * 1024
    /// The longest `jti` and `nonce`, in bytes.
    static let maximumNameLength = 256
    private static let type = "dpop+jwt"
    /// Bytes of the modulus and of the exponent of an RSA key: the sender chooses the key, and others wait for the
    /// check.
    private static let largestRSA = (modulus: 512, exponent: 4)

    /// SHA-256 thumbprint of the key (RFC 7638), which is what tokens are bound to.
    public let keyThumbprint: [UInt8]
    /// `jti`.
    public let id: String
    /// `htm`.
    public let method: String
    /// `htu`, as sent.
    public let target: String
    /// `iat`.
    public let issuedAt: UnixTime
    /// `ath`.
    public let accessTokenHash: [UInt8]?
    /// `nonce`.
    public let nonce: String?
    /// `alg`.
    public let algorithm: SignatureAlgorithm
    /// `exp` and `nbf`, which are optional; if present they apply as for any JWT (RFC 7519 section 4.1).
    let lifetime: ClosedRange<UnixTime>
    private let key: PublicKey
    private let signature: [UInt8]
    private let signingInput: [UInt8]

    /// Parses a proof, with all checks of RFC 9449 section 4.3 that need nothing else, except its signature.
    public static func parse(_ bytes: Span<UInt8>) throws(DPoPFailure) -> DPoPProof {
        guard bytes.count <= maximumLength else { throw .tooLong }
        let unverified: UnverifiedToken
        let claims: RegisteredClaims
        do {
            unverified = try UnverifiedToken(bytes)
            claims = try RegisteredClaims(try unverified.claims())
        } catch {
            throw .malformed(error)
        }
        guard unverified.joseHeader.type?.hasSameBytes(as: type) == true else { throw .wrongType }
        guard !unverified.joseHeader.algorithm.isSymmetric else { throw .symmetricAlgorithm }
        let signingInput = bytes.extracting(0..<unverified.signingInputLength).withUnsafeBufferPointer(Array.init)
        return try DPoPProof(unverified, claims, try publicKey(unverified), signingInput)
    }

    private init(
        _ unverified: UnverifiedToken,
        _ claims: RegisteredClaims,
        _ key: PublicKey,
        _ signingInput: [UInt8]
    ) throws(DPoPFailure) {
        self.key = key
        self.signingInput = signingInput
        signature = unverified.signature
        algorithm = unverified.joseHeader.algorithm
        keyThumbprint = key.thumbprintDigest
        guard let tokenID = claims.tokenID else { throw .missingClaim("jti") }
        guard tokenID.utf8.count <= Self.maximumNameLength else { throw .badClaim("jti") }
        id = tokenID
        guard let issuedAt = claims.issuedAt else { throw .missingClaim("iat") }
        self.issuedAt = issuedAt
        guard let method = try Self.text("htm", claims) else { throw .missingClaim("htm") }
        self.method = method
        guard let target = try Self.text("htu", claims) else { throw .missingClaim("htu") }
        self.target = target
        nonce = try Self.text("nonce", claims)
        guard nonce.map({ $0.utf8.count <= Self.maximumNameLength }) ?? true else { throw .badClaim("nonce") }
        let start = claims.notBefore ?? .distantPast
        lifetime = start...max(start, claims.expiresAt ?? .distantFuture)
        guard let hash = try Self.text("ath", claims) else {
            accessTokenHash = nil
            return
        }
        guard let digest = Base64URL.decode(hash), digest.count == 32 else { throw .badClaim("ath") }
        accessTokenHash = digest
    }

    /// The `jwk` of the header, which must be a public key that the proof's algorithm fits.
    private static func publicKey(_ unverified: UnverifiedToken) throws(DPoPFailure) -> PublicKey {
        guard let value = unverified.header["jwk"] else { throw .missingKey }
        guard case .object(let jwk) = value else { throw .badKey }
        // RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1: a sender of these members has revealed the key.
        for name in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] where jwk[name] != nil { throw .privateKey }
        let key: VerificationKey
        do {
            key = try JSONWebKey.verificationKey(from: jwk, origin: .url)
        } catch {
            throw .badKey
        }
        guard case .publicKey(let publicKey) = key.material else { throw .badKey }
        if case .rsa(let modulus, let exponent) = publicKey,
            modulus.count > largestRSA.modulus || exponent.count > largestRSA.exponent
        {
            throw .badKey
        }
        guard key.algorithms.contains(unverified.joseHeader.algorithm) else { throw .algorithmDoesNotFitKey }
        return publicKey
    }

    private static func text(_ name: String, _ claims: RegisteredClaims) throws(DPoPFailure) -> String? {
        guard let value = claims.all[name] else { return nil }
        guard case .string(let text) = value else { throw .badClaim(name) }
        return text
    }

    /// Whether the key in the proof has signed it. Costs a signature check and loading a key.
    public func verifySignature() throws(DPoPFailure) {
        guard let context = KeyMaterial.publicKey(key).context(for: algorithm),
            context.isValid(signature, over: signingInput.span)
        else { throw .badSignature }
    }
}
