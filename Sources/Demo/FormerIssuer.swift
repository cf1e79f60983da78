public import Time
public import Verification

/// The issuer that the clans app had before the gateway's own: its sessions are adopted (`refresh.adopt`).
public struct FormerIssuer: Sendable {
    public static let issuer = "https://former.example"
    private static let audience = "clanboards-of-before"
    /// In seconds.
    private static let lifetime = 3600

    private let key: SigningKey
    private let now: @Sendable () -> UnixTime

    /// - Parameter key: For ES256.
    public init(key: SigningKey, now: @escaping @Sendable () -> UnixTime) {
        self.key = key
        self.now = now
    }

    /// What its tokens must satisfy.
    public static func policy(_ key: SigningKey) throws(KeySetError) -> IssuerPolicy {
        IssuerPolicy(
            issuer: issuer,
            audiences: [audience],
            algorithms: [.es256],
            keys: try AppKey(.es256, key).verifying
        )
    }

    /// An access token of another session each time.
    public func token() throws(SigningError) -> String {
        let seconds = Int(now().seconds)
        let claims: JSONObject = [
            "iss": .string(Self.issuer), "aud": .string(Self.audience), "sub": "user-alice",
            "email": "alice@clans.example", "sid": .string(RandomText.make(bytes: 16)),
            "jti": .string(RandomText.make(bytes: 16)), "iat": .number(JSONNumber(seconds)),
            "exp": .number(JSONNumber(seconds + Self.lifetime)),
        ]
        return try TokenSigner(key, algorithm: .es256, keyID: key.thumbprint).sign(claims)
    }
}
