public import Verification

/// A tenant's own issuer: what its tokens say, and how long they live.
public struct BuiltInIssuer: Sendable, Equatable {
    /// `iss`, to the letter.
    public var url: String
    /// `aud` of access tokens.
    public var audience: String
    public var algorithm: SignatureAlgorithm
    /// How long an access token lives.
    public var access: Duration = .seconds(3600)
    /// How long an ID token lives.
    public var id: Duration = .seconds(3600)
    /// How long a refresh token lives.
    public var refresh: Duration = .seconds(30 * 86_400)
    /// The directory of its keys, resolved: absolute, or relative to where the gateway runs. Nil: they are made by the
    /// gateway and kept in the store.
    public var keysDirectory: String?
    /// How long a key that the gateway made signs.
    public var rotateEvery: Duration = .seconds(90 * 86_400)
    /// Where its endpoints are mounted on the tenant's host: empty, or with a `/` before and none behind.
    public var basePath: String = ""
    public var clients: [IssuerClient] = []
    public var page: SignInPage = SignInPage()
}
