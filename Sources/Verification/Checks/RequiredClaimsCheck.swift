/// Requires the claims that a policy names.
enum RequiredClaimsCheck {
    /// Passes if each of `names` is a member of the claims set and not null.
    static func check(_ claims: RegisteredClaims, _ names: [String]) throws(VerificationFailure) {
        for name in names {
            switch claims.all[name] {
            case nil, .null?: throw VerificationFailure(.missingClaim, claim: name)
            case .bool?, .number?, .string?, .array?, .object?: break
            }
        }
    }
}
