import Time
import Verification

/// Signs with one key, and verifies with it as the endpoints do.
struct SignalSample {
    static let now = UnixTime(1_800_000_000)
    static let issuer = "https://id.test"
    private static let secret = Array("a secret of these tests that is long enough for HS256".utf8)

    static func principal(
        _ claims: JSONObject,
        type: String? = nil,
        as purpose: TokenPurpose = .securityEvent,
        at now: UnixTime = now
    ) throws -> Principal {
        let key = SigningKey(secret: secret)
        let token = try TokenSigner(key, algorithm: .hs256).sign(
            claims,
            header: type.map { ["typ": .string($0)] } ?? JSONObject()
        )
        let policy = IssuerPolicy(
            issuer: issuer,
            audiences: ["shop"],
            algorithms: [.hs256],
            keys: try KeySet(secret: secret, algorithms: [.hs256])
        )
        return try TokenVerifier(VerificationPolicy(issuers: [policy], purpose: purpose))
            .verify(Array(token.utf8), at: now)
    }

    /// A token that is good, with changes; null removes a claim.
    static func claims(_ changes: KeyValuePairs<String, JSONValue>, of kind: TokenPurpose) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(issuer), "aud": "shop", "jti": "j1", "iat": .number(JSONNumber(Int(now.seconds) - 10)),
        ]
        if kind == .logout {
            claims["sub"] = "alice"
            claims["sid"] = "s1"
            claims["exp"] = .number(JSONNumber(Int(now.seconds) + 120))
            claims["events"] = ["http://schemas.openid.net/event/backchannel-logout": [:]]
        } else {
            claims["sub_id"] = ["format": "iss_sub", "iss": .string(issuer), "sub": "alice"]
            claims["events"] = ["https://schemas.openid.net/secevent/caep/event-type/session-revoked": [:]]
        }
        for (name, value) in changes { claims[name] = value == .null ? JSONValue?.none : value }
        return claims
    }
}
