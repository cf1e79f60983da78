/// Requires one of the policy's audiences in a token (RFC 7519 section 4.1.3).
enum AudienceCheck {
    /// Passes if `accepted` is empty or names one of the token's audiences, byte for byte.
    static func check(_ claims: RegisteredClaims, _ accepted: [String]) throws(VerificationFailure) {
        guard !accepted.isEmpty else { return }
        for audience in claims.audiences where accepted.contains(where: { $0.hasSameBytes(as: audience) }) { return }
        throw VerificationFailure(.wrongAudience)
    }
}
