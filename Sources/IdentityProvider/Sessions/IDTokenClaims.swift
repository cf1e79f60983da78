import Time
import TokenSigning
import Verification

/// The claims of an ID token (OpenID Connect Core section 2).
enum IDTokenClaims {
    /// The scope that requests one.
    static let scope = "openid"

    /// - Parameters:
    ///   - scopes: They select the session's claims.
    ///   - accessToken: The one that it is issued with.
    ///   - nonce: From the authentication request; none after a refresh (section 12.2).
    static func make(
        _ session: IssuerSession,
        scopes: [String],
        accessToken: String,
        nonce: String?,
        _ rules: IssuerRules,
        at now: UnixTime
    ) -> JSONObject {
        let issuedAt = Int(session.issuing(at: now).seconds.rounded(.down))
        var claims: JSONObject = [
            "iss": .string(rules.url),
            "sub": .string(session.subject),
            "aud": .string(session.clientID ?? rules.audience),
            "exp": .number(JSONNumber(issuedAt + Int(rules.idLifetime.secondsAsDouble))),
            "iat": .number(JSONNumber(issuedAt)),
            "auth_time": .number(JSONNumber(Int(session.authenticatedAt.seconds.rounded(.down)))),
            "sid": .string(session.id),
            "at_hash": .string(hash(of: accessToken)),
        ]
        if let methods = session.claims["amr"] { claims["amr"] = methods }
        if let contextClass = session.claims["acr"] { claims["acr"] = contextClass }
        if let nonce { claims["nonce"] = .string(nonce) }
        for member in ScopeClaims.asked(by: scopes, of: session.claims).members { claims[member.name] = member.value }
        return claims
    }

    /// `at_hash` (section 3.1.3.6): RS256 and ES256 both hash with SHA-256.
    private static func hash(of accessToken: String) -> String {
        Base64URL.encode(Array(SHA256.digest(Array(accessToken.utf8)).prefix(16)))
    }
}
