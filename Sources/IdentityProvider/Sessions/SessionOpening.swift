public import Time
public import Verification

/// The parameters of a new session.
public struct SessionOpening: Sendable {
    public var subject: String
    /// The claims of its tokens, besides the issuer's own.
    public var claims: JSONObject
    /// The granted scopes; with `openid` the session gets ID tokens (OpenID Connect Core section 3.1.2.1).
    public var scopes: [String]
    /// The OAuth client; nil for the tenant's own apps, which have none.
    public var clientID: String?
    /// The client's description of itself; 256 bytes of it are stored.
    public var device: String?
    /// The client's address in text.
    public var address: String?
    /// For the first ID token.
    public var nonce: String?
    /// The provider of the identity.
    public var provider: String?
    /// What its tokens are bound to; nil for unbound tokens.
    public var binding: TokenBinding?
    /// When the subject has signed in here; nil for now.
    public var signedInAt: UnixTime?
    /// When they proved who they are to a provider, if that was before: the `auth_time` of the tokens.
    public var authenticatedAt: UnixTime?
    /// Whether they proved it then, as far as is known: not where a provider may have led somebody back whom it knew already.
    public var isProven: Bool
    /// Whether a browser keeps its tokens, or may: then its account is deleted after a recent sign-in alone, in
    /// whichever field they come.
    public var beganInBrowser = false
    /// The group of the browser's session at the issuer that it belongs to, and ends with; nil for none.
    var singleSignOn: String?
    /// The token of a former issuer that it is begun with; nil for none.
    public var former: FormerToken?

    public init(
        subject: String,
        claims: JSONObject = JSONObject(),
        scopes: [String] = ["openid", "email", "profile"],
        clientID: String? = nil,
        device: String? = nil,
        address: String? = nil,
        nonce: String? = nil,
        provider: String? = nil,
        binding: TokenBinding? = nil,
        signedInAt: UnixTime? = nil,
        authenticatedAt: UnixTime? = nil,
        isProven: Bool = false
    ) {
        self.init(
            subject: subject,
            claims: claims,
            scopes: scopes,
            clientID: clientID,
            device: device,
            address: address,
            nonce: nonce,
            provider: provider,
            binding: binding,
            signedInAt: signedInAt,
            authenticatedAt: authenticatedAt,
            isProven: isProven,
            singleSignOn: nil
        )
    }

    init(
        subject: String,
        claims: JSONObject,
        scopes: [String],
        clientID: String?,
        device: String?,
        address: String?,
        nonce: String?,
        provider: String?,
        binding: TokenBinding?,
        signedInAt: UnixTime?,
        authenticatedAt: UnixTime?,
        isProven: Bool,
        singleSignOn: String?
    ) {
        self.subject = subject
        self.claims = claims
        self.scopes = scopes
        self.clientID = clientID
        self.device = device
        self.address = address
        self.nonce = nonce
        self.provider = provider
        self.binding = binding
        self.signedInAt = signedInAt
        self.authenticatedAt = authenticatedAt
        self.isProven = isProven
        self.singleSignOn = singleSignOn
    }
}
