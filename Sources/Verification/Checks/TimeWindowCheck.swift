import Time

/// Requires that now is within a token's validity (RFC 7519 sections 4.1.4 to 4.1.6).
///
/// The comparisons are negated so that a time that is not a number passes none of them.
enum TimeWindowCheck {
    /// `nbf` and `iat` may be ahead of `now` by no more than the leeway.
    static func checkStart(_ claims: RegisteredClaims, now: UnixTime, leeway: Double) throws(VerificationFailure) {
        if let notBefore = claims.notBefore, !(now + leeway >= notBefore) { throw VerificationFailure(.notYetValid) }
        if let issuedAt = claims.issuedAt, !(now + leeway >= issuedAt) { throw VerificationFailure(.issuedInFuture) }
    }

    /// `now` must be before `exp`, give or take the leeway, and no later than the grace after that. The last check of
    /// all: see `VerificationFailure.isExpiry`.
    static func checkEnd(
        _ claims: RegisteredClaims,
        now: UnixTime,
        leeway: Double,
        grace: Double
    ) throws(VerificationFailure) {
        guard let expiresAt = claims.expiresAt else { return }
        if !(now < expiresAt + leeway + grace) { throw VerificationFailure(.expired) }
    }
}
