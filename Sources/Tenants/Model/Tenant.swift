/// One app behind the gateway: its hosts, backend, token rules and policy.
public struct Tenant: Sendable, Equatable {
    /// Its key in tenants.yaml; also the metric label.
    public var name: String
    public var hosts: [HostPattern]
    /// Starts with `/`, no trailing `/`; nil stands for every path. Matches at a segment boundary.
    public var pathPrefix: String?
    public var stripPrefix = Schema.tenant.stripPrefix.standard
    public var backend: Backend
    public var authenticate: Authentication
    public var access: AccessRules = AccessRules([])
    public var identity: Identity = Identity()
    public var mode = Schema.tenant.mode.standard
    public var limits: RequestLimits = RequestLimits()
    /// nil: the certificate of the tenant that has the default.
    public var tls: ServerCertificate?
    public var webSocket: WebSocketRules = WebSocketRules()
    /// A 2xx from the backend to one of these revokes the token that was presented, and its session.
    public var revokeOn: [RevokeRule] = []
    public var onStoreFailure = Schema.tenant.onStoreFailure.standard
    public var maxStaleness = Schema.tenant.maxStaleness.standard
    /// nil: nothing is ever refreshed.
    public var refresh: RefreshRules?
    /// The gateway's own issuer of tokens; nil where all come from elsewhere.
    public var issuer: BuiltInIssuer?
    /// Nil: people sign in elsewhere.
    public var signIn: SignIn?
    public var accounts: AccountRules = AccountRules()
    /// Looked at in their order; every one that a request falls under is counted.
    public var rateLimits: [RateLimit] = []
    /// Nil: other origins' scripts are the backend's business.
    public var crossOrigin: CrossOriginRules?
    /// Holds wherever a token comes by cookie.
    public var crossSite: CrossSiteRules = CrossSiteRules()
    public var headers: HeaderRules = HeaderRules()
    /// Nil: opaque tokens are refused.
    public var introspection: Introspection?
    /// Nil: DPoP proofs are not looked at, and tokens that need one are refused.
    public var proof: ProofRules?
    /// What `gatehouse check` makes sure of.
    public var tests: [TenantTest] = []
    /// By a key's path below the tenant, like `authenticate.issuers[0]`: its line in tenants.yaml, for explanations. The
    /// tenant itself is at the empty path.
    public var lines: [String: Int] = [:]
    /// Where sessions begin, are renewed and end. A request to one of these never leads to a refresh.
    public var signInPaths: [PathPattern] = []

    public enum Mode: String, Sendable, CaseIterable {
        /// What the decision refuses is refused.
        case enforce
        /// Decided, logged and counted, but let through: for migrations.
        case observe
    }

    /// How long after its expiry a token may still be worth something: its revocation is kept that much longer.
    public var refreshGrace: Duration { refresh?.grace ?? .zero }
}

/// Bounds on one request.
public struct RequestLimits: Sendable, Equatable {
    /// Longest request body in bytes (413 above it); nil: no bound.
    public var bodyBytes: Int?
    /// Bytes a second that a body must keep on average after its first 10 s; 0: no least rate.
    public var bodyRate = Schema.requestLimits.bodyRate.standard
    public var replayBytes = Schema.requestLimits.replayBytes.standard
}
