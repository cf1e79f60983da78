import Tenants
import Time
import Verification

/// All that the stand-in knows.
struct StandInState: Sendable {
    var port = 0
    var appleKeys: StandInKeys
    var googleKeys: StandInKeys
    /// Whose public half Apple knows.
    let appleClientKey: SigningKey
    /// Signs what is forged.
    let stranger: SigningKey
    var appleClients: [String: AppleClient] = [:]
    var googleClients: [String: GoogleClient] = [:]
    var users: [SignIn.Provider: ProviderUser] = [
        .apple: ProviderUser(
            subject: "001234.0123456789abcdef0123456789abcdef.0123",
            email: "alice@example.com",
            emailVerified: "true"
        ),
        .google: ProviderUser(subject: "110169484474386276334", email: "alice@example.com"),
    ]
    var codes = BoundedTable<String, IssuedCode>()
    var accessTokens = BoundedTable<String, GoogleGrant>()
    /// Whose name each of Apple's clients was told, which happens once: `client_id` and `sub`.
    var toldNames = BoundedTable<String, Bool>()
    var failures: [ProviderEndpoint: ProviderFailure] = [:]
    var calls: [ProviderEndpoint: Int] = [:]
    var answersAtOnce = false

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
    /// - Throws: `invalid_grant` for a code that is unknown, used, another's, too old, or was asked for with another
    ///   redirect URI (RFC 6749 section 5.2).
    mutating func redeem(_ parameters: FormParameters, for clientID: String, at now: UnixTime) throws(StandInRefusal)
        -> IssuedCode
    {
        guard let name = parameters["code"], let code = codes[name] else {
            throw .grant("the code is not known")
        }
        guard !code.isUsed else { throw .grant("the code was used before") }
        guard code.question.clientID == clientID else { throw .grant("the code is another client's") }
        guard now <= code.expiresAt else { throw .grant("the code has expired") }
        guard parameters["redirect_uri"] == code.question.redirectURI else {
            throw .grant("redirect_uri is not the one that the code was asked for with")
        }
        var used = code
        used.isUsed = true
        codes.set(used, for: name)
        return code
    }
}

/// The keys of one provider.
struct StandInKeys: Sendable {
    /// In the order of their making; the last one signs.
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

    /// - Parameter stranger: Signs in the name of the key; nil: the key does.
    func sign(_ claims: JSONObject, insteadBy stranger: SigningKey? = nil) throws(SigningError) -> String {
        guard let active = keys.last else { throw .notSigned }
        return try TokenSigner(stranger ?? active, algorithm: .rs256, keyID: active.thumbprint).sign(claims)
    }
}

/// A Services ID at Apple.
struct AppleClient: Sendable {
    let teamID: String
    let keyID: String
    var places: [RedirectTarget] = []
}

/// An OAuth client at Google.
struct GoogleClient: Sendable {
    let secret: [UInt8]?
    var places: [RedirectTarget] = []
}

/// What stands behind a code.
struct IssuedCode: Sendable {
    let question: AuthorizationQuestion
    let user: ProviderUser
    let expiresAt: UnixTime
    var isUsed = false
}

/// What stands behind an access token of Google's.
struct GoogleGrant: Sendable {
    let user: ProviderUser
    let audience: String
    let scope: String
    let expiresAt: UnixTime
}
