/// What a ``Tenant`` has.
public struct TenantSettings: Sendable, Equatable {
    /// Its key in tenants.yaml; also the metric label.
    public var name: String
    /// Whether it is the store's, and in no file.
    public var isStored = false
    public var hosts: [HostPattern]
    /// Starts with `/`, no trailing `/`; nil stands for every path. Matches at a segment boundary.
    public var pathPrefix: String?
    public var stripPrefix = Schema.tenant.stripPrefix.default
    public var backends: [Backend]
    /// Without a match the default backend gets a request.
    public var routes = RouteTable([])
    public var authenticate: Authentication
    public var access: AccessRules = AccessRules([])
    public var identity: Identity = Identity()
    public var mode = Schema.tenant.mode.default
    public var limits: RequestLimits = RequestLimits()
    /// nil: the certificate of the first tenant that has one.
    public var tls: ServerCertificate?
    public var webSocket: WebSocketRules = WebSocketRules()
    /// A 2xx from the backend to one of these revokes the token that was presented, and its session.
    public var revokeOn: [RevokeRule] = []
    public var onStoreFailure = Schema.tenant.onStoreFailure.default
    public var maxStaleness = Schema.tenant.maxStaleness.default
    /// nil: sessions are not refreshed.
    public var refresh: RefreshRules?
    /// The tenant's own issuer; nil if it has none.
    public var issuer: BuiltInIssuer?
    /// nil: the gateway has no sign-in.
    public var signIn: SignIn?
    public var accounts: AccountRules = AccountRules()
    /// Checked in order; every limit that applies counts the request.
    public var rateLimits: [RateLimit] = []
    /// nil: CORS is left to the backend.
    public var crossOrigin: CrossOriginRules?
    /// Applies to tokens in cookies.
    public var crossSite: CrossSiteRules = CrossSiteRules()
    public var headers: HeaderRules = HeaderRules()
    /// nil: opaque tokens are refused.
    public var introspection: Introspection?
    /// nil: DPoP proofs are not checked, and tokens that need one are refused.
    public var proof: ProofRules?
    /// Who tells of what happened to its users, besides its issuers and its sign-in providers.
    public var signals: [SignalTransmitter] = []
    /// The tenant's own form and texts of refusals; nil: the gateway's.
    public var refusals: RefusalRules?
    /// nil: the app's version does not matter.
    public var appVersion: AppVersionRules?
    /// Run by `gatehouse check`.
    public var tests: [TenantTest] = []
    /// Lines in the configuration by the key's path below the tenant, like `authenticate.issuers[0]`, for explanations; the
    /// tenant's own line by the empty path.
    public var lines: KeyLines = [:]
    /// The paths of sign-in, refresh and sign-out. A request to one of these never causes a refresh.
    public var signInPaths: [PathPattern] = []

    /// The backend that takes what no route is for; nil: such requests are refused.
    public var defaultBackend: BackendIndex? {
        backends.firstIndex { $0.name == Backend.defaultName }.map(BackendIndex.init)
    }

    /// How long after its expiry a token may still be refreshed; its revocation is kept that much longer.
    public var refreshGrace: Duration { refresh?.grace ?? .zero }

    /// Seconds: the default lifetime of refresh tokens.
    private static let assumedTokenLife = 30.0 * 86_400
    /// Seconds: no token of a trusted issuer is taken to live longer.
    private static let longestTokenLife = 365.0 * 86_400

    /// Seconds for which the revocation of a session or a subject is kept: as long as a token of before may be accepted
    /// whose expiry is not at hand, or a session of the tenant's own issuer goes unused.
    public var revocationLife: Double {
        let issued = issuer.map { $0.refresh + $0.access }?.secondsAsDouble ?? 0
        return max(Self.assumedTokenLife, issued) + authenticate.policy.leeway + refreshGrace.secondsAsDouble
    }

    /// Seconds for which a revocation is kept that somebody else has asked for: as ``revocationLife``, and a year where the
    /// tenant takes tokens of others, since nobody says how long those live.
    public var reportedRevocationLife: Double {
        let takesOthers = authenticate.policy.issuers.contains { policy in
            !(issuer?.url.utf8.elementsEqual(policy.issuer.utf8) ?? false)
        }
        return takesOthers ? max(Self.longestTokenLife, revocationLife) : revocationLife
    }
}

/// Bounds on one request.
public struct RequestLimits: Sendable, Equatable {
    /// Longest request body in bytes (413 above it); nil: no bound.
    public var bodyBytes: Int?
    /// Bytes a second that a body must keep on average after its first 10 s; 0: no least rate.
    public var bodyRate = Schema.requestLimits.bodyRate.default
    public var replayBytes = Schema.requestLimits.replayBytes.default
}
