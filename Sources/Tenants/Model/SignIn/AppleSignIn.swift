/// Sign in with Apple.
public struct AppleSignIn: Sendable, Equatable {
    public enum Nonce: String, Sendable, CaseIterable {
        case required
        /// If the token or the body has one, both must, and match.
        case optional
    }

    /// What is done with a body that has only `userIdentifier`, which proves nothing.
    public enum LegacyBody: String, Sendable, CaseIterable {
        case deny
        /// Let through unverified, and counted as what would have been refused.
        case observe
        /// Let through unverified, and counted.
        case allow
    }

    /// The service for sign-in in a browser.
    public struct Web: Sendable, Equatable {
        /// The Services ID.
        public var clientID: String
        public var teamID: String
        /// The key's name at Apple.
        public var keyID: String
        /// The `.p8` that Apple gave out: a P-256 key in PKCS#8 PEM. Nil while the file is not there: nobody can sign in
        /// in a browser then.
        public var privateKey: Secret?

        public init(clientID: String, teamID: String, keyID: String, privateKey: Secret? = nil) {
            self.clientID = clientID
            self.teamID = teamID
            self.keyID = keyID
            self.privateKey = privateKey
        }
    }

    /// Where the app posts Apple's token.
    public var path: PathPattern
    /// The apps that the token may be for.
    public var clientIDs: [String]
    public var nonce: Nonce
    public var legacyBody: LegacyBody
    public var then: SignIn.Exchange
    /// Where Apple posts its server-to-server events.
    public var notifications: PathPattern?
    public var web: Web?
    /// The `iss` of Apple's tokens.
    public var issuer: String
    /// Apple's keys.
    public var keys: RemoteKeySource
    /// Where browsers sign in.
    public var authorizeURL: String
    /// Where codes are exchanged.
    public var tokenURL: String

    public static let standardIssuer = "https://appleid.apple.com"
    public static let standardKeys = RemoteKeySource(
        location: .keySet(url: "https://appleid.apple.com/auth/keys"),
        lifetime: .seconds(86_400)
    )
    public static let standardAuthorizeURL = "https://appleid.apple.com/auth/authorize"
    public static let standardTokenURL = "https://appleid.apple.com/auth/token"

    public init(
        path: PathPattern,
        clientIDs: [String],
        nonce: Nonce = .required,
        legacyBody: LegacyBody = .deny,
        then: SignIn.Exchange,
        notifications: PathPattern? = nil,
        web: Web? = nil,
        issuer: String = Self.standardIssuer,
        keys: RemoteKeySource = Self.standardKeys,
        authorizeURL: String = Self.standardAuthorizeURL,
        tokenURL: String = Self.standardTokenURL
    ) {
        self.path = path
        self.clientIDs = clientIDs
        self.nonce = nonce
        self.legacyBody = legacyBody
        self.then = then
        self.notifications = notifications
        self.web = web
        self.issuer = issuer
        self.keys = keys
        self.authorizeURL = authorizeURL
        self.tokenURL = tokenURL
    }
}
