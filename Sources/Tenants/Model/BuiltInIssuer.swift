public import Verification

/// A tenant's own issuer: what its tokens say, and how long they live.
public struct BuiltInIssuer: Sendable, Equatable {
    /// `iss`, to the letter.
    public var url: String
    /// `aud` of access tokens.
    public var audience: String
    public var algorithm: SignatureAlgorithm
    /// How long an access token lives.
    public var access: Duration
    /// How long an ID token lives.
    public var id: Duration
    /// How long a refresh token lives.
    public var refresh: Duration
    /// The directory of its keys, resolved: absolute, or relative to where the gateway runs. Nil: it has none of its
    /// own on disk.
    public var keysDirectory: String?

    public init(
        url: String,
        audience: String,
        algorithm: SignatureAlgorithm,
        access: Duration = .seconds(3600),
        id: Duration = .seconds(3600),
        refresh: Duration = .seconds(30 * 86_400),
        keysDirectory: String? = nil
    ) {
        self.url = url
        self.audience = audience
        self.algorithm = algorithm
        self.access = access
        self.id = id
        self.refresh = refresh
        self.keysDirectory = keysDirectory
    }
}
