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
    public var issuers: [String] = Self.defaultIssuers
    public var keys: RemoteKeySource = Self.defaultKeys
    public var userInfoURL: String = Schema.google.userinfoURL.default
    public var tokenInfoURL: String = Schema.google.tokeninfoURL.default
    public var authorizeURL: String = Self.defaultAuthorizeURL
    public var tokenURL: String = Self.defaultTokenURL
    public var revokeURL: String = Self.defaultRevokeURL

    /// Google's guide to ID tokens names both forms of `iss`.
    public static let defaultIssuers = [Schema.google.issuer.default, "accounts.google.com"]
    public static let defaultKeys = RemoteKeySource(location: .keySet(url: Schema.google.jwksURL.default))
    public static let defaultAuthorizeURL = Schema.google.authorizeURL.default
    public static let defaultTokenURL = Schema.google.tokenURL.default
    public static let defaultRevokeURL = Schema.google.revokeURL.default
}
