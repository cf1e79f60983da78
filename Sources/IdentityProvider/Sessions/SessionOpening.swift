public import Verification

/// A session that is about to begin.
public struct SessionOpening: Sendable {
    public var subject: String
    /// What its tokens say besides what is the issuer's to say.
    public var claims: JSONObject
    /// The granted scopes; `openid` among them asks for ID tokens (OpenID Connect Core section 3.1.2.1).
    public var scopes: [String]
    /// The OAuth client; nil for the tenant's own apps, which have none.
    public var clientID: String?
    /// What the client says it is; 256 bytes of it are kept.
    public var device: String?
    /// For the first ID token.
    public var nonce: String?
    /// Who vouched for the subject.
    public var provider: String?
    /// What its tokens are bound to; nil: to nothing.
    public var binding: TokenBinding?

    public init(
        subject: String,
        claims: JSONObject = JSONObject(),
        scopes: [String] = ["openid", "email", "profile"],
        clientID: String? = nil,
        device: String? = nil,
        nonce: String? = nil,
        provider: String? = nil,
        binding: TokenBinding? = nil
    ) {
        self.subject = subject
        self.claims = claims
        self.scopes = scopes
        self.clientID = clientID
        self.device = device
        self.nonce = nonce
        self.provider = provider
        self.binding = binding
    }
}
