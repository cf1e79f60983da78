public import Time

/// Verifies tokens against one policy: nothing else makes a `Principal`.
///
/// Not `Sendable`: it owns OpenSSL contexts that are kept initialised between tokens. Make one per event loop from the
/// shared policy; that is cheap, as keys are loaded when first used.
public final class TokenVerifier {
    private let policy: VerificationPolicy
    /// One per issuer, in the policy's order; nil while its keys are unknown.
    private var signatureChecks: [SignatureCheck?]

    public init(_ policy: VerificationPolicy) {
        self.policy = policy
        signatureChecks = policy.issuers.map { $0.keys.map(SignatureCheck.init) }
    }

    /// Sets the keys of the issuer at this index in the policy; nil if they are unknown.
    ///
    /// Callers must forget tokens verified with a removed key.
    public func use(_ keys: KeySet?, ofIssuer index: Int) {
        signatureChecks[index] = keys.map(SignatureCheck.init)
    }

    /// Verifies a compact JWS that carries a claims set (RFC 7519 section 7.2).
    ///
    /// The checks run in a fixed order and the first failure is thrown; expiry comes last, so a token that is refused
    /// for it is otherwise valid.
    ///
    /// - Parameters:
    ///   - token: The token's bytes, without `Bearer` or white space.
    public func verify(_ token: Span<UInt8>, at now: UnixTime) throws(VerificationFailure) -> Principal {
        try principal(of: token, at: now, grace: 0)
    }

    /// Verifies a token that may have expired up to `grace` ago: every check of `verify(_:at:)` is made, but `exp` is
    /// extended by `grace`.
    ///
    /// - Parameters:
    ///   - token: The token's bytes, without `Bearer` or white space.
    ///   - grace: Seconds, beginning where the leeway ends.
    /// - Throws: `.expired` once the grace is over too; else what `verify(_:at:)` throws.
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
        try TypeCheck.check(unverified.joseHeader, policy.purpose)
        var claims = try RegisteredClaims(try unverified.claims())
        let index = try IssuerCheck.check(claims, unverified.joseHeader.algorithm, among: policy.issuers)
        if policy.issuers[index].requiresAccessTokenType { try TypeCheck.checkAccessToken(unverified.joseHeader) }
        try checkSignature(unverified, in: token, ofIssuer: index)
        try TypeCheck.check(claims, policy.purpose)
        try ClaimConditionCheck.check(claims, policy.issuers[index].conditions)
        if let mapping = policy.issuers[index].mapping { claims = try ClaimMappingCheck.map(claims, by: mapping) }
        try RequiredClaimsCheck.check(claims, policy.requiredClaims)
        try AudienceCheck.check(claims, policy.issuers[index].audiences)
        try TimeWindowCheck.checkStart(claims, now: now, leeway: policy.leeway)
        try TimeWindowCheck.checkEnd(claims, now: now, leeway: policy.leeway, grace: grace)
        return Principal(claims, issuer: policy.issuers[index].issuer, of: unverified, in: token)
    }

    private func checkSignature(
        _ unverified: UnverifiedToken,
        in token: Span<UInt8>,
        ofIssuer index: Int
    ) throws(VerificationFailure) {
        guard let check = signatureChecks[index] else {
            throw VerificationFailure(.keysNotLoaded, issuerIndex: index)
        }
        do throws(VerificationFailure) {
            try check.check(unverified, in: token)
        } catch {
            throw error.ofIssuer(index)
        }
    }

    /// As `verify(_:at:)`, for bytes in an array.
    public func verify(_ token: [UInt8], at now: UnixTime) throws(VerificationFailure) -> Principal {
        try verify(token.span, at: now)
    }
}
