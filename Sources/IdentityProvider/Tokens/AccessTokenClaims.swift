import Verification

/// The claims of an access token (RFC 9068 section 2.2).
enum AccessTokenClaims {
    /// Claims that only the issuer sets. In a session's claims they would be read as the issuer's.
    static let reserved: Set<String> = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "sid", "client_id", "scope", "auth_time", "nonce", "at_hash",
        "azp", "cnf",
    ]

    /// `claims` without the issuer's own.
    static func withoutReserved(_ claims: JSONObject) -> JSONObject {
        var rest = claims
        for member in claims.members where reserved.contains(member.name) { rest[member.name] = nil }
        return rest
    }
}
