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

    /// Where it is told that a session of its has ended (OpenID Connect Back-Channel Logout 1.0); nil: it is not.
    public var backChannelLogout: BackChannelLogout?

    public var isPublic: Bool { secret == nil }
}

/// How a client is told that a session has ended (OpenID Connect Back-Channel Logout 1.0 section 2.2).
public struct BackChannelLogout: Sendable, Equatable {
    /// `backchannel_logout_uri`: https, or http on loopback.
    public var uri: String
    /// `backchannel_logout_session_required`: whether every logout token has to name a session.
    public var needsSession = Schema.client.backChannelLogoutSession.default

    public init(uri: String, needsSession: Bool) {
        self.uri = uri
        self.needsSession = needsSession
    }
}
