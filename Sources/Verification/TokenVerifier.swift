public import Time

/// Verifies tokens against one policy: nothing else makes a `Principal`.
///
/// Not `Sendable`: it owns OpenSSL contexts that are kept initialised between tokens. Make one an event loop from the
/// shared policy; that costs little, as keys are loaded when first used.
public final class TokenVerifier {
    private let policy: VerificationPolicy
    /// One an issuer, in the policy's order; nil while its keys are not known.
    private var signatureChecks: [SignatureCheck?]

    public init(_ policy: VerificationPolicy) {
        self.policy = policy
        signatureChecks = policy.issuers.map { $0.keys.map(SignatureCheck.init) }
    }

    /// The issuer at this place in the policy has these keys from now on; nil: they are not known.
    ///
    /// What was verified before with a key that is gone has to be forgotten by whoever remembers it.
    public func use(_ keys: KeySet?, ofIssuer place: Int) {
        signatureChecks[place] = keys.map(SignatureCheck.init)
    }

    /// Verifies a compact JWS that carries a claims set (RFC 7519 section 7.2).
    ///
    /// The checks run in a fixed order and the first failure is thrown; expiry comes last, so a token that is
    /// refused for it is otherwise good.
    ///
    /// - Parameters:
    ///   - token: The token's bytes, without the `Bearer` word or white space.
    public func verify(_ token: Span<UInt8>, at now: UnixTime) throws(VerificationFailure) -> Principal {
        try principal(of: token, at: now, grace: 0)
    }

    /// Who a token was for that has expired no longer than `grace` ago, or has not: every check of `verify(_:at:)` is
    /// made, but that of `exp` allows for so much more.
    ///
    /// - Parameters:
    ///   - token: The token's bytes, without the `Bearer` word or white space.
    ///   - grace: Seconds, which begin where the leeway ends.
    /// - Throws: `.expired` once those are over too; else what `verify(_:at:)` throws.
    public func verifyExpired(
        _ token: Span<UInt8>,
        at now: UnixTime,
        within grace: Double
    ) throws(VerificationFailure) -> ExpiredPrincipal {
        ExpiredPrincipal(try principal(of: token, at: now, grace: grace))
    }

    private func principal(
        of token: Span<UInt8>,
        at now: UnixTime,
        grace: Double
    ) throws(VerificationFailure) -> Principal {
        let unverified = try UnverifiedToken(token)
        try TypeCheck.check(unverified.joseHeader)
        let claims = try RegisteredClaims(try unverified.claims())
        let index = try IssuerCheck.check(claims, unverified.joseHeader.algorithm, among: policy.issuers)
        if policy.issuers[index].requiresAccessTokenType { try TypeCheck.checkAccessToken(unverified.joseHeader) }
        try checkSignature(unverified, in: token, ofIssuer: index)
        try RequiredClaimsCheck.check(claims, policy.requiredClaims)
        try AudienceCheck.check(claims, policy.issuers[index].audiences)
        try TimeWindowCheck.checkStart(claims, now: now, leeway: policy.leeway)
        try TimeWindowCheck.checkEnd(claims, now: now, leeway: policy.leeway, grace: grace)
        return Principal(claims, issuer: policy.issuers[index].issuer, of: unverified, in: token)
    }

    private func checkSignature(
        _ unverified: UnverifiedToken,
        in token: Span<UInt8>,
        ofIssuer place: Int
    ) throws(VerificationFailure) {
        guard let check = signatureChecks[place] else {
            throw VerificationFailure(.keysNotLoaded, issuerPlace: place)
        }
        do throws(VerificationFailure) {
            try check.check(unverified, in: token)
        } catch {
            throw error.ofIssuer(place)
        }
    }

    /// As `verify(_:at:)`, for bytes in an array.
    public func verify(_ token: [UInt8], at now: UnixTime) throws(VerificationFailure) -> Principal {
        try verify(token.span, at: now)
    }
}
