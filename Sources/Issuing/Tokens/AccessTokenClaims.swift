import Verification

/// The claims of an access token (RFC 9068 section 2.2).
enum AccessTokenClaims {
    /// What the issuer alone says. Claims of a session by these names would be read as its word.
    static let reserved: Set<String> = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "sid", "client_id", "scope", "auth_time", "nonce", "at_hash",
        "azp", "cnf",
    ]

    /// Tokens of the tenant's own apps, which are no OAuth clients, have no `client_id`, although RFC 9068 section 2.2 wants
    /// one: whatever it said, some client could be registered by that name, and would be taken for their owner.
    ///
    /// - Parameters:
    ///   - scopes: What it is for: of the session's, all or some.
    ///   - confirmation: What it is bound to; nil: to nothing.
    ///   - now: Unix seconds. `iat` and `exp` are whole ones, as some clients take no others.
    static func make(
        _ session: IssuerSession,
        scopes: [String],
        boundTo confirmation: Confirmation?,
        _ rules: IssuerRules,
        at now: Double
    ) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(rules.url),
            "sub": .string(session.subject),
            "aud": .string(rules.audience),
            "exp": .number(JSONNumber(expiry(rules, at: now))),
            "iat": .number(JSONNumber(Int(now.rounded(.down)))),
            "jti": .string(Base64URL.encode(RandomBytes.make(16))),
            "sid": .string(session.id),
            "auth_time": .number(JSONNumber(Int(session.createdAt.rounded(.down)))),
        ]
        if let clientID = session.clientID { claims["client_id"] = .string(clientID) }
        if let confirmation { claims["cnf"] = .object(confirmation.claim) }
        if !scopes.isEmpty { claims["scope"] = .string(scopes.joined(separator: " ")) }
        let withheld = session.scopes.filter { !scopes.contains($0) }
        for member in ScopeClaims.removing(withheld, from: session.claims).members {
            claims[member.name] = member.value
        }
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
