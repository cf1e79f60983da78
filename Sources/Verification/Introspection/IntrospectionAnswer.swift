public import Time

/// What a server answered about a token (RFC 7662 section 2.2). Nothing of it was checked against a policy yet.
public struct IntrospectionAnswer: Sendable {
    /// Bytes of the longest answer that is looked at.
    public static let maximumLength = 64 * 1024

    /// Without `active`; nil for a token that is not active. What else such an answer holds means nothing.
    private let claims: JSONObject?

    /// Reads the body of an answer.
    ///
    /// - Returns: Nil for what is no answer: not strict JSON, no object, or without an `active` that is `true` or
    ///   `false`. Nothing is known of the token then.
    public init?(_ body: [UInt8]) {
        guard body.count <= Self.maximumLength, case .object(var object)? = try? JSONParser.parse(body),
            case .bool(let isActive)? = object["active"]
        else { return nil }
        object["active"] = nil
        // Some servers write null for what a token does not have. A token that is bound to nothing is a bearer token.
        if case .null? = object["cnf"] { object["cnf"] = nil }
        claims = isActive ? object : nil
    }

    /// Who the token is for. The checks are those of a JWT's claims, in the same order.
    ///
    /// - Parameters:
    ///   - token: What the server was asked about.
    public func principal(
        of token: [UInt8],
        _ policy: IntrospectionPolicy,
        at now: UnixTime
    ) throws(VerificationFailure) -> Principal {
        guard let all = claims else { throw VerificationFailure(.inactive) }
        let claims = try RegisteredClaims(all)
        try checkType(all)
        try checkIssuer(claims, policy)
        try RequiredClaimsCheck.check(claims, policy.requiredClaims)
        try AudienceCheck.check(claims, policy.audiences)
        try TimeWindowCheck.checkStart(claims, now: now, leeway: policy.leeway)
        try TimeWindowCheck.checkEnd(claims, now: now, leeway: policy.leeway, grace: 0)
        // Rules and headers that look at `iss` see whose caller it is, and not what the answer alone says.
        var vouched = all
        vouched["iss"] = .string(policy.issuer)
        return Principal(try RegisteredClaims(vouched), issuer: policy.issuer, ofOpaque: token)
    }

    private func checkIssuer(_ claims: RegisteredClaims, _ policy: IntrospectionPolicy) throws(VerificationFailure) {
        guard policy.requiresIssuer else { return }
        guard let issuer = claims.issuer else { throw VerificationFailure(.missingClaim, claim: "iss") }
        guard issuer.hasSameBytes(as: policy.issuer) else { throw VerificationFailure(.unknownIssuer) }
    }

    /// A refresh token or an authorization code is active too, and no access token. One that is bound to a key is good
    /// only if the answer says to which (RFC 9449 section 6.2).
    private func checkType(_ claims: JSONObject) throws(VerificationFailure) {
        switch claims["token_type"] {
        case nil, .null?: return
        case .string(let type)?:
            switch type.lowercased() {
            case "bearer": return
            case "dpop" where Confirmation(claims)?.keyThumbprint != nil: return
            default: throw VerificationFailure(.wrongType)
            }
        default: throw VerificationFailure(.badClaim, claim: "token_type")
        }
    }
}
