/// Requires the values that an issuer's tokens must have in some claims.
enum ClaimConditionCheck {
    static func check(_ claims: RegisteredClaims, _ conditions: [ClaimCondition]) throws(VerificationFailure) {
        for condition in conditions where !condition.holds(in: claims.all) {
            throw VerificationFailure(.wrongValue, claim: condition.place.text)
        }
    }
}
