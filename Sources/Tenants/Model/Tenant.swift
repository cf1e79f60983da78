/// One app behind the gateway: its hosts, backend, token rules and policy.
public struct Tenant: Sendable, Equatable {
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
    /// Looked at in their order; every one that a request falls under is counted.
    public var rateLimits: [RateLimit]
    /// Nil: other origins' scripts are the backend's business.
    public var crossOrigin: CrossOriginRules?
    /// Holds wherever a token comes by cookie.
    public var crossSite: CrossSiteRules
    public var headers: HeaderRules
    /// Nil: opaque tokens are refused.
    public var introspection: Introspection?
    /// Nil: DPoP proofs are not looked at, and tokens that need one are refused.
    public var proof: ProofRules?
    /// What `gatehouse check` makes sure of.
    public var tests: [TenantTest]
    /// By a key's path below the tenant, like `authenticate.issuers[0]`: its line in tenants.yaml, for explanations. The
    /// tenant itself is at the empty path.
    public var lines: [String: Int]
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
        rateLimits: [RateLimit] = [],
        crossOrigin: CrossOriginRules? = nil,
        crossSite: CrossSiteRules = CrossSiteRules(),
        headers: HeaderRules = HeaderRules(),
        introspection: Introspection? = nil,
        proof: ProofRules? = nil,
        tests: [TenantTest] = [],
        lines: [String: Int] = [:],
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
        self.rateLimits = rateLimits
        self.crossOrigin = crossOrigin
        self.crossSite = crossSite
        self.headers = headers
        self.introspection = introspection
        self.proof = proof
        self.tests = tests
        self.lines = lines
        self.signInPaths = signInPaths
    }

    /// How long after its expiry a token may still be worth something: its revocation is kept that much longer.
    public var refreshGrace: Duration { refresh?.grace ?? .zero }
}

/// Bounds on one request.
public struct RequestLimits: Sendable, Equatable {
    /// Longest request body in bytes (413 above it); nil: no bound.
    public var bodyBytes: Int?
    /// Bytes a second that a body must keep on average after its first 10 s; 0: no least rate.
    public var bodyRate: Int
    /// Longest body in bytes that is kept for a replay after a refresh.
    public var replayBytes: Int

    public init(bodyBytes: Int? = nil, bodyRate: Int = 1 << 10, replayBytes: Int = 64 << 10) {
        self.bodyBytes = bodyBytes
        self.bodyRate = bodyRate
        self.replayBytes = replayBytes
    }
}
