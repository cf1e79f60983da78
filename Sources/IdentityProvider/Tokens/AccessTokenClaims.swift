import Verification

/// The claims of an access token (RFC 9068 section 2.2).
enum AccessTokenClaims {
    /// What the issuer alone says. Claims of a session by these names would be read as its word.
    static let reserved: Set<String> = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "sid", "client_id", "scope", "auth_time", "nonce", "at_hash",
        "azp", "cnf",
    ]

    /// `claims` without those that are the issuer's.
    static func withoutReserved(_ claims: JSONObject) -> JSONObject {
        var rest = claims
        for member in claims.members where reserved.contains(member.name) { rest[member.name] = nil }
        return rest
    }
}
