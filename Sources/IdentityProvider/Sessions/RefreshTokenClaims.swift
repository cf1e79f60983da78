import Time
import TokenSigning
import Verification

/// The claims of a refresh token in the form of a JWT. Its audience is the issuer alone: nobody else accepts it.
enum RefreshTokenClaims {
    /// - Parameter token: The `jti`.
    static func make(
        _ session: IssuerSession,
        _ token: RefreshToken,
        _ rules: IssuerRules,
        at now: UnixTime
    ) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(rules.url),
            "sub": .string(session.subject),
            "aud": .string(rules.url),
            "exp": .number(JSONNumber(Int(session.expiresAt.seconds))),
            "iat": .number(JSONNumber(Int(session.issuing(at: now).seconds.rounded(.down)))),
            "jti": .string(token.text),
            "sid": .string(session.id),
        ]
        if let clientID = session.clientID { claims["client_id"] = .string(clientID) }
        return claims
    }
}
