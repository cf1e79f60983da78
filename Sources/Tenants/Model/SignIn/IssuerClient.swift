/// An OpenID client of a tenant's own issuer.
public struct IssuerClient: Sendable, Equatable {
    /// `client_id`.
    public var id: String
    /// `client_secret`; nil for a public client (RFC 6749 section 2.1).
    public var secret: Secret?
    /// Where codes may be sent, to the letter.
    public var redirectURIs: [String]
    public var postLogoutRedirectURIs = Schema.client.postLogoutRedirectURIs.default
    /// Loaded in a hidden frame when its sessions end at the issuer (OpenID Connect Front-Channel Logout 1.0); nil: none.
    public var frontChannelLogoutURI: String?
    /// Whether that URI needs `iss` and `sid`.
    public var frontChannelLogoutNeedsSession = Schema.client.frontChannelLogoutSessionRequired.default
    public var scopes = Schema.client.scopes.default
    /// Whether its tokens must be bound to a key of its own (`dpop_bound_access_tokens`, RFC 9449 section 5.2).
    public var needsProof = Schema.client.dpopBound.default
    /// Whether its tokens are bound to the certificate that it comes with (RFC 8705 section 3.4).
    public var bindsToCertificate = Schema.client.certificateBound.default

    public var isPublic: Bool { secret == nil }
}
