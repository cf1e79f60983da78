import Tenants
import Time
import Verification

/// The state of the stand-in.
struct StandInState: Sendable {
    var port = 0
    var appleKeys: StandInKeys
    var googleKeys: StandInKeys
    /// Apple knows its public half.
    let appleClientKey: SigningKey
    /// Signs forged tokens.
    let stranger: SigningKey
    var appleClients: [String: AppleClient] = [:]
    /// At first a client for everyone who tries something on this machine, which is documented.
    var googleClients = [
        "local.apps.example": GoogleClient(secret: Array("local-secret".utf8), redirectTargets: RedirectTarget.local)
    ]
    var users: [SignIn.Provider: ProviderUser] = [
        .apple: ProviderUser(
            subject: "001234.0123456789abcdef0123456789abcdef.0123",
            email: "alice@example.com",
            emailVerified: "true"
        ),
        .google: ProviderUser(subject: "110169484474386276334", email: "alice@example.com"),
    ]
    var codes = BoundedMap<String, IssuedCode, Never>(capacity: 10_000)
    var accessTokens = BoundedMap<String, GoogleGrant, Never>(capacity: 10_000)
    /// The users whose name each of Apple's clients has got, which happens once: `client_id` and `sub`.
    var sentNames = BoundedMap<String, Bool, Never>(capacity: 10_000)
    /// Refresh tokens, until they are revoked.
    var refreshTokens = BoundedMap<String, RefreshGrant, Never>(capacity: 10_000)
    /// How many of those a user has, by provider and `sub`.
    var refreshCounts = BoundedMap<String, Int, Never>(capacity: 10_000)
    var failures: [ProviderEndpoint: ProviderFailure] = [:]
    var calls: [ProviderEndpoint: Int] = [:]
    var skipsConsent = false

    init(_ keys: ProviderKeys) {
        appleKeys = StandInKeys(keys.apple)
        googleKeys = StandInKeys(keys.google)
        appleClientKey = keys.appleClient
        stranger = keys.stranger
    }

    var url: String { "http://127.0.0.1:\(port)" }
    var appleIssuer: String { "\(url)/apple" }
    var googleIssuer: String { "\(url)/google" }

    /// Uses a code up.
    ///
    /// - Throws: `invalid_grant` for a code that is unknown, used, another client's, expired, or was requested with
    ///   another redirect URI (RFC 6749 section 5.2).
    mutating func redeem(_ parameters: FormParameters, for clientID: String, at now: UnixTime) throws(StandInRefusal)
        -> IssuedCode
    {
        guard let name = parameters["code"], let code = codes[name] else {
            throw .grant("the code is unknown")
        }
        guard !code.isUsed else { throw .grant("the code was used before") }
        guard code.authorization.clientID == clientID else { throw .grant("the code is another client's") }
        guard now <= code.expiresAt else { throw .grant("the code has expired") }
        guard parameters["redirect_uri"] == code.authorization.redirectURI else {
            throw .grant("redirect_uri differs from the authorization request")
        }
        var used = code
        used.isUsed = true
        codes.insert(used, for: name)
        return code
    }
}

/// The keys of one provider.
struct StandInKeys: Sendable {
    /// The oldest first; the last one signs.
    private var keys: [SigningKey]

    init(_ key: SigningKey) {
        keys = [key]
    }

    mutating func rotate(to key: SigningKey, keepingOld: Bool) {
        keys = keepingOld ? keys + [key] : [key]
    }

    var document: JSONValue {
        ["keys": .array(keys.compactMap { $0.publicJWK(algorithm: .rs256) }.map(JSONValue.object))]
    }

    /// - Parameter stranger: Signs instead of the key; nil for the key itself.
    func sign(_ claims: JSONObject, insteadBy stranger: SigningKey? = nil) throws(SigningError) -> String {
        guard let active = keys.last else { throw .notSigned }
        return try TokenSigner(stranger ?? active, algorithm: .rs256, keyID: active.thumbprint).sign(claims)
    }
}

/// A Services ID at Apple.
struct AppleClient: Sendable {
    let teamID: String
    let keyID: String
    var redirectTargets: [RedirectTarget] = []
}

/// An OAuth client at Google.
struct GoogleClient: Sendable {
    let secret: [UInt8]?
    var redirectTargets: [RedirectTarget] = []
}

/// The record of a code.
struct IssuedCode: Sendable {
    let authorization: ProviderAuthorizationRequest
    let user: ProviderUser
    let expiresAt: UnixTime
    var isUsed = false
}

/// The record of a refresh token.
struct RefreshGrant: Sendable {
    let provider: SignIn.Provider
    let user: ProviderUser
    let clientID: String
    var isRevoked = false

    /// Whose it is.
    var owner: String { "\(provider.rawValue) \(user.subject)" }
}

/// The record of a Google access token.
struct GoogleGrant: Sendable {
    let user: ProviderUser
    let audience: String
    let scope: String
    let expiresAt: UnixTime
}
