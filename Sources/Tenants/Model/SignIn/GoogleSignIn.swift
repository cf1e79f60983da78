/// Sign in with Google.
public struct GoogleSignIn: Sendable, Equatable {
    /// The client for the hosted sign-in page.
    public struct Web: Sendable, Equatable {
        public var clientID: String
        public var clientSecret: Secret
    }

    /// Where the app posts Google's token.
    public var path: PathPattern
    /// The apps that the token may be for.
    public var clientIDs: [String]
    public var then: SignIn.Exchange
    public var web: Web?
    /// Every `iss` that Google's tokens may carry, the usual one first.
    public var issuers: [String] = Self.standardIssuers
    public var keys: RemoteKeySource = Self.standardKeys
    public var userInfoURL: String = Schema.google.userinfoURL.standard
    public var tokenInfoURL: String = Schema.google.tokeninfoURL.standard
    public var authorizeURL: String = Self.standardAuthorizeURL
    public var tokenURL: String = Self.standardTokenURL

    /// Google's guide to ID tokens names both forms of `iss`.
    public static let standardIssuers = [Schema.google.issuer.standard, "accounts.google.com"]
    public static let standardKeys = RemoteKeySource(location: .keySet(url: Schema.google.jwksURL.standard))
    public static let standardAuthorizeURL = Schema.google.authorizeURL.standard
    public static let standardTokenURL = Schema.google.tokenURL.standard
}
