import Verification

/// The claims of an access token (RFC 9068 section 2.2).
enum AccessTokenClaims {
    /// What the issuer alone says. Claims of a session by these names would be read as its word.
    static let reserved: Set<String> = ["iss", "sub", "aud", "exp", "nbf", "iat", "jti", "sid", "client_id"]

    /// - Parameter now: Unix seconds. `iat` and `exp` are whole ones, as some clients take no others.
    static func make(_ session: IssuerSession, _ rules: IssuerRules, at now: Double) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(rules.url),
            "sub": .string(session.subject),
            "aud": .string(rules.audience),
            "exp": .number(JSONNumber(expiry(rules, at: now))),
            "iat": .number(JSONNumber(Int(now.rounded(.down)))),
            "jti": .string(Base64URL.encode(RandomBytes.make(16))),
            "sid": .string(session.id),
        ]
        if let clientID = session.clientID { claims["client_id"] = .string(clientID) }
        for member in session.claims.members { claims[member.name] = member.value }
        return claims
    }

    /// In Unix seconds.
    static func expiry(_ rules: IssuerRules, at now: Double) -> Int {
        Int(now.rounded(.down)) + Int(rules.access.seconds)
    }

    /// `claims` without those that are the issuer's.
    static func withoutReserved(_ claims: JSONObject) -> JSONObject {
        var rest = claims
        for member in claims.members where reserved.contains(member.name) { rest[member.name] = nil }
        return rest
    }
}
