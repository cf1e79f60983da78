/// Sign in with Apple.
public struct AppleSignIn: Sendable, Equatable {
    public enum Nonce: String, Sendable, CaseIterable {
        case required
        /// If the token or the body has one, both must, and match.
        case optional
    }

    /// How a body with only `userIdentifier`, which proves nothing, is treated.
    public enum LegacyBody: String, Sendable, CaseIterable {
        case deny
        /// Forwarded unverified, and counted as a refusal in observe mode.
        case observe
        /// Forwarded unverified, and counted.
        case allow
    }

    /// The service for sign-in in a browser.
    public struct Web: Sendable, Equatable {
        /// The Services ID.
        public var clientID: String
        public var teamID: String
        /// The key's name at Apple.
        public var keyID: String
        /// The `.p8` that Apple gave out: a P-256 key in PKCS#8 PEM. nil while the file is not there: nobody can sign in
        /// in a browser then.
        public var privateKey: Secret?
    }

    /// Where the app posts Apple's token.
    public var path: PathPattern
    /// The apps that the token may be for.
    public var clientIDs: [String]
    public var nonce: Nonce = Schema.apple.nonce.default
    public var legacyBody: LegacyBody = Schema.apple.legacyUserIdentifier.default
    public var then: SignIn.Exchange
    /// Where Apple posts its server-to-server events.
    public var notifications: PathPattern?
    public var web: Web?
    public var issuer: String = Self.defaultIssuer
    public var keys: RemoteKeySource = Self.defaultKeys
    public var authorizeURL: String = Self.defaultAuthorizeURL
    public var tokenURL: String = Self.defaultTokenURL
    public var revokeURL: String = Self.defaultRevokeURL

    public static let defaultIssuer = Schema.apple.issuer.default
    public static let defaultKeys = keys(at: Schema.apple.jwksURL.default)
    public static let defaultAuthorizeURL = Schema.apple.authorizeURL.default
    public static let defaultTokenURL = Schema.apple.tokenURL.default
    public static let defaultRevokeURL = Schema.apple.revokeURL.default

    static func keys(at url: String) -> RemoteKeySource {
        RemoteKeySource(location: .keySet(url: url), lifetime: .seconds(86_400))
    }
}
