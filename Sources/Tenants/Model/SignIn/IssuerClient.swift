public import Verification

/// An OpenID client of a tenant's own issuer.
public struct IssuerClient: Sendable, Equatable {
    /// How a client authenticates (OpenID Connect Core section 9).
    public enum AuthMethod: String, Sendable, CaseIterable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case privateKey = "private_key_jwt"
        case none
    }

    /// Where the keys are that a client signs its assertions with.
    public enum KeysSource: Sendable, Hashable {
        case file(KeyFileSource)
        case remote(RemoteKeySource)
    }

    /// The algorithms for assertions: asymmetric ones, so that no published key is a secret.
    public static let assertionAlgorithms: [SignatureAlgorithm] = [
        .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .es256, .es384, .es512, .edDSA,
    ]

    /// `client_id`.
    public var id: String
    /// `client_secret`; nil for a public client (RFC 6749 section 2.1), and for one with keys.
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
    /// The way of presenting the secret, if only one is allowed.
    public var secretMethod: AuthMethod?
    /// For `private_key_jwt`; nil for other clients.
    public var keys: KeysSource?
    /// `require_pkce`; see ``needsPKCE``.
    public var requiresPKCE = false

    /// Where it is told that a session of its has ended (OpenID Connect Back-Channel Logout 1.0); nil: it is not.
    public var backChannelLogout: BackChannelLogout?

    public var isPublic: Bool { secret == nil && keys == nil }

    /// Whether it must use PKCE: a public client always (RFC 9700 section 2.1.1).
    public var needsPKCE: Bool { isPublic || requiresPKCE }

    /// The methods that it may use, in the order of preference.
    public var authMethods: [AuthMethod] {
        if keys != nil { return [.privateKey] }
        guard secret != nil else { return [.none] }
        return secretMethod.map { [$0] } ?? [.basic, .post]
    }
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
