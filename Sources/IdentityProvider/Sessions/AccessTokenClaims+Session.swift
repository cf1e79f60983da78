import Tenants
import Time
import TokenSigning
import Verification

extension AccessTokenClaims {
    /// Tokens of the tenant's own apps, which are no OAuth clients, have no `client_id`, although RFC 9068 section 2.2
    /// requires one: some client could be registered under any value, and would count as their owner.
    ///
    /// - Parameters:
    ///   - scopes: All or some of the session's.
    ///   - confirmation: What it is bound to; nil for an unbound token.
    ///   - now: `iat` and `exp` are whole numbers, as some clients accept no others.
    static func make(
        _ session: IssuerSession,
        scopes: [String],
        boundTo confirmation: Confirmation?,
        _ rules: IssuerRules,
        at now: UnixTime
    ) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(rules.url),
            "sub": .string(session.subject),
            "aud": .string(rules.audience),
            "exp": .number(JSONNumber(Int(expiry(rules, at: now).seconds))),
            "iat": .number(JSONNumber(Int(session.issuing(at: now).seconds.rounded(.down)))),
            "jti": .string(Base64URL.encode(RandomBytes.make(16))),
            "sid": .string(session.id),
            "auth_time": .number(JSONNumber(Int(session.authenticatedAt.seconds.rounded(.down)))),
            ReservedClaims.signedInAt: .number(JSONNumber(Int(session.signedInAt.seconds.rounded(.down)))),
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

    static func expiry(_ rules: IssuerRules, at now: UnixTime) -> UnixTime {
        UnixTime(now.seconds.rounded(.down) + rules.access.secondsAsDouble.rounded(.down))
    }
}
