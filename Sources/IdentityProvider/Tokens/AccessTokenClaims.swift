import Tenants
import Verification

/// The claims of an access token (RFC 9068 section 2.2).
enum AccessTokenClaims {
    /// Claims that only the issuer sets.
    static let reserved = ReservedClaims.names

    /// `claims` without the issuer's own.
    static func withoutReserved(_ claims: JSONObject) -> JSONObject {
        var rest = claims
        for member in claims.members where reserved.contains(member.name) { rest[member.name] = nil }
        return rest
    }
}
