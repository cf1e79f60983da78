public import Verification

/// A tenant's own issuer: what its tokens say, and how long they live.
public struct BuiltInIssuer: Sendable, Equatable {
    /// `iss`, to the letter.
    public var url: String
    /// `aud` of access tokens.
    public var audience: String
    public var algorithm: SignatureAlgorithm
    public var access = Schema.issuer.access.standard
    public var id = Schema.issuer.id.standard
    public var refresh = Schema.issuer.refresh.standard
    /// The directory of its keys, resolved: absolute, or relative to where the gateway runs. Nil: they are made by the
    /// gateway and kept in the store.
    public var keysDirectory: String?
    /// How long a key that the gateway made signs.
    public var rotateEvery = Schema.issuer.rotateEvery.standard
    /// Where its endpoints are mounted on the tenant's host: empty, or with a `/` before and none behind.
    public var basePath: String = ""
    public var clients: [IssuerClient] = []
    public var page: SignInPage = SignInPage()
}
