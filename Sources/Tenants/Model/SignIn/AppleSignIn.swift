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
    }

    /// Where the app posts Apple's token.
    public var path: PathPattern
    /// The apps that the token may be for.
    public var clientIDs: [String]
    public var nonce: Nonce = Schema.apple.nonce.standard
    public var legacyBody: LegacyBody = Schema.apple.legacyUserIdentifier.standard
    public var then: SignIn.Exchange
    /// Where Apple posts its server-to-server events.
    public var notifications: PathPattern?
    public var web: Web?
    public var issuer: String = Self.standardIssuer
    public var keys: RemoteKeySource = Self.standardKeys
    public var authorizeURL: String = Self.standardAuthorizeURL
    public var tokenURL: String = Self.standardTokenURL

    public static let standardIssuer = Schema.apple.issuer.standard
    public static let standardKeys = keys(at: Schema.apple.jwksURL.standard)
    public static let standardAuthorizeURL = Schema.apple.authorizeURL.standard
    public static let standardTokenURL = Schema.apple.tokenURL.standard

    static func keys(at url: String) -> RemoteKeySource {
        RemoteKeySource(location: .keySet(url: url), lifetime: .seconds(86_400))
    }
}
