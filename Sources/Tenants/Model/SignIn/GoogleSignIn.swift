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
    /// Google's keys.
    public var keys: RemoteKeySource = Self.standardKeys
    /// Who an access token is for.
    public var userInfoURL: String = "https://openidconnect.googleapis.com/v1/userinfo"
    /// Which app an access token is for.
    public var tokenInfoURL: String = "https://oauth2.googleapis.com/tokeninfo"
    /// Where browsers sign in.
    public var authorizeURL: String = Self.standardAuthorizeURL
    /// Where codes are exchanged.
    public var tokenURL: String = Self.standardTokenURL

    /// Google's guide to ID tokens names both forms of `iss`.
    public static let standardIssuers = ["https://accounts.google.com", "accounts.google.com"]
    public static let standardKeys = RemoteKeySource(
        location: .keySet(url: "https://www.googleapis.com/oauth2/v3/certs")
    )
    public static let standardAuthorizeURL = "https://accounts.google.com/o/oauth2/v2/auth"
    public static let standardTokenURL = "https://oauth2.googleapis.com/token"
}
