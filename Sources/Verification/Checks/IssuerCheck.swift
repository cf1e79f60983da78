/// Finds the policy of a token's issuer before any key is used, so that an issuer's keys verify only its own tokens.
enum IssuerCheck {
    /// The index in `issuers` of the entry whose name equals the token's `iss`, byte for byte, and that allows
    /// `algorithm`.
    static func check(
        _ claims: RegisteredClaims,
        _ algorithm: SignatureAlgorithm,
        among issuers: [IssuerPolicy]
    ) throws(VerificationFailure) -> Int {
        guard let issuer = claims.issuer else { throw VerificationFailure(.missingClaim, claim: "iss") }
        var isKnown = false
        for index in issuers.indices where issuers[index].issuer.hasSameBytes(as: issuer) {
            isKnown = true
            if issuers[index].algorithms.contains(algorithm) { return index }
        }
        throw VerificationFailure(isKnown ? .algorithmNotAllowed : .unknownIssuer)
    }
}
