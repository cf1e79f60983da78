import Time

/// The registered claims (RFC 7519 section 4.1) with the types they must have.
struct RegisteredClaims {
    var all: JSONObject
    let issuer: String?
    var subject: String?
    var audiences: [String]
    let expiresAt: UnixTime?
    let notBefore: UnixTime?
    let issuedAt: UnixTime?
    let tokenID: String?
    var sessionID: String?
    /// The roles if their places are mapped, else nil.
    var mappedRoles: [String]?
    /// The scopes if their places are mapped, else nil.
    var mappedScopes: [String]?

    /// Refuses a registered claim that is present with another type, null among them.
    init(_ claims: JSONObject) throws(VerificationFailure) {
        all = claims
        issuer = try Self.string("iss", claims)
        subject = try Self.string("sub", claims)
        expiresAt = try Self.time("exp", claims)
        notBefore = try Self.time("nbf", claims)
        issuedAt = try Self.time("iat", claims)
        tokenID = try Self.name("jti", claims)
        sessionID = try Self.name("sid", claims)
        guard let audience = claims["aud"] else {
            audiences = []
            return
        }
        guard let names = audience.stringOrStrings else { throw VerificationFailure(.badClaim, claim: "aud") }
        audiences = names
    }

    private static func string(_ name: String, _ claims: JSONObject) throws(VerificationFailure) -> String? {
        guard let value = claims[name] else { return nil }
        guard case .string(let text) = value else { throw VerificationFailure(.badClaim, claim: name) }
        return text
    }

    /// A string that names one thing among many, which an empty one does not.
    private static func name(_ claim: String, _ claims: JSONObject) throws(VerificationFailure) -> String? {
        try string(claim, claims).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A NumericDate, fractions allowed (RFC 7519 section 2).
    private static func time(_ name: String, _ claims: JSONObject) throws(VerificationFailure) -> UnixTime? {
        guard let value = claims[name] else { return nil }
        guard case .number(let number) = value else { throw VerificationFailure(.badClaim, claim: name) }
        return UnixTime(number.value)
    }
}
