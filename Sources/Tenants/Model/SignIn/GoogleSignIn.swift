/// Sign in with Google.
public struct GoogleSignIn: Sendable, Equatable {
    /// The client for the hosted sign-in page.
    public struct Web: Sendable, Equatable {
        public var clientID: String
        public var clientSecret: Secret

        public init(clientID: String, clientSecret: Secret) {
            self.clientID = clientID
            self.clientSecret = clientSecret
        }
    }

    /// Where the app posts Google's token.
    public var path: PathPattern
    /// The apps that the token may be for.
    public var clientIDs: [String]
    public var then: SignIn.Exchange
    public var web: Web?
    /// Every `iss` that Google's tokens may carry, the usual one first.
    public var issuers: [String]
    /// Google's keys.
    public var keys: RemoteKeySource
    /// Who an access token is for.
    public var userInfoURL: String
    /// Which app an access token is for.
    public var tokenInfoURL: String
    /// Where browsers sign in.
    public var authorizeURL: String
    /// Where codes are exchanged.
    public var tokenURL: String

    /// Google's guide to ID tokens names both forms of `iss`.
    public static let standardIssuers = ["https://accounts.google.com", "accounts.google.com"]
    public static let standardKeys = RemoteKeySource(
        location: .keySet(url: "https://www.googleapis.com/oauth2/v3/certs")
    )
    public static let standardAuthorizeURL = "https://accounts.google.com/o/oauth2/v2/auth"
    public static let standardTokenURL = "https://oauth2.googleapis.com/token"

    public init(
        path: PathPattern,
        clientIDs: [String],
        then: SignIn.Exchange,
        web: Web? = nil,
        issuers: [String] = Self.standardIssuers,
        keys: RemoteKeySource = Self.standardKeys,
        userInfoURL: String = "https://openidconnect.googleapis.com/v1/userinfo",
        tokenInfoURL: String = "https://oauth2.googleapis.com/tokeninfo",
        authorizeURL: String = Self.standardAuthorizeURL,
        tokenURL: String = Self.standardTokenURL
    ) {
        self.path = path
        self.clientIDs = clientIDs
        self.then = then
        self.web = web
        self.issuers = issuers
        self.keys = keys
        self.userInfoURL = userInfoURL
        self.tokenInfoURL = tokenInfoURL
        self.authorizeURL = authorizeURL
        self.tokenURL = tokenURL
    }
}
