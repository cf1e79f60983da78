/// One app behind the gateway: its hosts, backend, token rules and policy.
public struct Tenant: Sendable {
    /// Its key in tenants.yaml; also the metric label.
    public var name: String
    public var hosts: [HostPattern]
    /// Starts with `/`, no trailing `/`; nil stands for every path. Matches at a segment boundary.
    public var pathPrefix: String?
    /// Whether `pathPrefix` is taken off what the backend sees.
    public var stripPrefix: Bool
    public var backend: Backend
    public var authenticate: Authentication
    public var access: AccessRules
    public var identity: Identity
    public var mode: Mode
    public var limits: RequestLimits
    /// nil: the certificate of the tenant that has the default.
    public var tls: ServerCertificate?
    public var webSocket: WebSocketRules
    /// A 2xx from the backend to one of these revokes the token that was presented, and its session.
    public var revokeOn: [RevokeRule]
    public var onStoreFailure: StoreFailurePolicy
    /// How old the local copy of revocations may be.
    public var maxStaleness: Duration
    /// nil: nothing is ever refreshed.
    public var refresh: RefreshRules?
    /// The gateway's own issuer of tokens; nil where all come from elsewhere.
    public var issuer: BuiltInIssuer?
    /// Nil: people sign in elsewhere.
    public var signIn: SignIn?
    public var accounts: AccountRules
    /// Origins other than its own from which a browser may send unsafe requests with cookies (RFC 6454).
    public var trustedOrigins: [String]
    /// Where sessions begin, are renewed and end. A request to one of these never leads to a refresh.
    public var signInPaths: [PathPattern]

    public enum Mode: String, Sendable, CaseIterable {
        /// What the decision refuses is refused.
        case enforce
        /// Decided, logged and counted, but let through: for migrations.
        case observe
    }

    public init(
        name: String,
        hosts: [HostPattern],
        pathPrefix: String? = nil,
        stripPrefix: Bool = false,
        backend: Backend,
        authenticate: Authentication,
        access: AccessRules = AccessRules([]),
        identity: Identity = Identity(),
        mode: Mode = .enforce,
        limits: RequestLimits = RequestLimits(),
        tls: ServerCertificate? = nil,
        webSocket: WebSocketRules = WebSocketRules(),
        revokeOn: [RevokeRule] = [],
        onStoreFailure: StoreFailurePolicy = .deny,
        maxStaleness: Duration = .seconds(30),
        refresh: RefreshRules? = nil,
        issuer: BuiltInIssuer? = nil,
        signIn: SignIn? = nil,
        accounts: AccountRules = AccountRules(),
        trustedOrigins: [String] = [],
        signInPaths: [PathPattern] = []
    ) {
        self.name = name
        self.hosts = hosts
        self.pathPrefix = pathPrefix
        self.stripPrefix = stripPrefix
        self.backend = backend
        self.authenticate = authenticate
        self.access = access
        self.identity = identity
        self.mode = mode
        self.limits = limits
        self.tls = tls
        self.webSocket = webSocket
        self.revokeOn = revokeOn
        self.onStoreFailure = onStoreFailure
        self.maxStaleness = maxStaleness
        self.refresh = refresh
        self.issuer = issuer
        self.signIn = signIn
        self.accounts = accounts
        self.trustedOrigins = trustedOrigins
        self.signInPaths = signInPaths
    }

    /// How long after its expiry a token may still be worth something: its revocation is kept that much longer.
    public var refreshGrace: Duration { refresh?.grace ?? .zero }
}

/// Bounds on one request.
public struct RequestLimits: Sendable, Equatable {
    /// Longest request body in bytes (413 above it); nil: no bound.
    public var bodyBytes: Int?
    /// Longest body in bytes that is kept for a replay after a refresh.
    public var replayBytes: Int

    public init(bodyBytes: Int? = nil, replayBytes: Int = 64 << 10) {
        self.bodyBytes = bodyBytes
        self.replayBytes = replayBytes
    }
}
