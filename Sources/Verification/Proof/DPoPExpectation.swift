public import Time

/// The values that a proof must have for its request.
public struct DPoPExpectation: Sendable {
    /// Seconds that clocks may differ by, for `exp` and `nbf`; `iat` has ``maxAge``.
    private static let leeway = 5.0

    /// The request's method, byte for byte.
    public var method: String
    /// The requested URL; its query and fragment are ignored.
    public var target: String
    /// The algorithms that proofs may be signed with.
    public var algorithms: [SignatureAlgorithm]
    /// Seconds that `iat` may be away from now, either way.
    public var maxAge: Double
    /// The token that the proof came with, whose hash it must have; nil if there is none, and then no hash is needed.
    public var accessToken: [UInt8]?
    /// The SHA-256 thumbprint that the proof's key must have; nil for any.
    public var keyThumbprint: [UInt8]?

    public init(
        method: String,
        target: String,
        algorithms: [SignatureAlgorithm],
        maxAge: Double,
        accessToken: [UInt8]? = nil,
        keyThumbprint: [UInt8]? = nil
    ) {
        self.method = method
        self.target = target
        self.algorithms = algorithms
        self.maxAge = maxAge
        self.accessToken = accessToken
        self.keyThumbprint = keyThumbprint
    }

    fileprivate func isCurrent(_ proof: DPoPProof, at now: UnixTime) throws(DPoPFailure) {
        guard proof.issuedAt <= now + maxAge else { throw .issuedInFuture }
        guard proof.issuedAt >= now - maxAge else { throw .tooOld }
        guard proof.lifetime.lowerBound <= now + Self.leeway else { throw .issuedInFuture }
        guard now < proof.lifetime.upperBound + Self.leeway else { throw .tooOld }
    }
}

extension DPoPProof {
    /// Whether the proof is one for this request (RFC 9449 section 4.3, checks 5 and 8 to 12). Its nonce, its signature
    /// and whether it was used before are found out apart.
    public func check(_ expected: DPoPExpectation, at now: UnixTime) throws(DPoPFailure) {
        guard expected.algorithms.contains(algorithm) else { throw .algorithmNotAllowed }
        guard method.hasSameBytes(as: expected.method) else { throw .wrongMethod }
        guard let own = DPoPTarget(target), let asked = DPoPTarget(expected.target), own == asked else {
            throw .wrongTarget
        }
        try expected.isCurrent(self, at: now)
        if let token = expected.accessToken {
            guard let accessTokenHash else { throw .missingClaim("ath") }
            guard ConstantTime.areEqual(accessTokenHash, SHA256.digest(token)) else { throw .wrongToken }
        }
        if let thumbprint = expected.keyThumbprint {
            guard ConstantTime.areEqual(keyThumbprint, thumbprint) else { throw .wrongKey }
        }
    }
}
