public import Time

/// An introspection response (RFC 7662 section 2.2), not yet checked against a policy.
public struct IntrospectionResponse: Sendable {
    /// The longest response that is read, in bytes.
    public static let maximumLength = 64 * 1024

    /// Without `active`; nil for an inactive token, whose other members are meaningless.
    private let claims: JSONObject?

    /// Parses the body of a response.
    ///
    /// - Returns: Nil for an invalid response: not strict JSON, no object, or without an `active` that is `true` or
    ///   `false`. Then nothing is known of the token.
    public init?(_ body: [UInt8]) {
        guard body.count <= Self.maximumLength, case .object(var object)? = try? JSONParser.parse(body),
            case .bool(let isActive)? = object["active"]
        else { return nil }
        object["active"] = nil
        // Some servers write null for absent members. A token that is bound to nothing is a bearer token.
        if case .null? = object["cnf"] { object["cnf"] = nil }
        claims = isActive ? object : nil
    }

    /// The principal of the token. The checks are those of a JWT's claims, in the same order.
    ///
    /// - Parameters:
    ///   - token: The introspected token.
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
        // Rules and headers that use `iss` get the configured issuer, not the response's own claim.
        var vouched = all
        vouched["iss"] = .string(policy.issuer)
        return Principal(try RegisteredClaims(vouched), issuer: policy.issuer, ofOpaque: token)
    }

    private func checkIssuer(_ claims: RegisteredClaims, _ policy: IntrospectionPolicy) throws(VerificationFailure) {
        guard policy.requiresIssuer else { return }
        guard let issuer = claims.issuer else { throw VerificationFailure(.missingClaim, claim: "iss") }
        guard issuer.hasSameBytes(as: policy.issuer) else { throw VerificationFailure(.unknownIssuer) }
    }

    /// A refresh token or an authorization code is active too, but no access token. A DPoP token is valid only if the
    /// response has its key (RFC 9449 section 6.2).
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
