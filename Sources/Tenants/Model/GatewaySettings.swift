/// The `gateway` section: what belongs to the process and not to one tenant.
public struct GatewaySettings: Sendable {
    public var listeners: [Listener]
    public var admin: AdminSettings?
    /// Where the tenants come from.
    public var tenants = Schema.gateway.tenants.default
    /// nil: Envoy is not answered by gRPC.
    public var extAuthz: ExtAuthzSettings?
    public var store: StoreLocation = .memory
    /// Directory for copies of fetched key sets and stored tenants, for a start while provider and store are down.
    /// Resolved; nil: no copies.
    public var stateDirectory: String?
    public var threads = Schema.gateway.threads.default
    /// Peers whose `Forwarded` and `X-Forwarded-*` fields and PROXY headers are trusted.
    public var trustedProxies: [AddressRange] = []
    /// Whether clients that come over plain HTTP are sent to the same URL over TLS.
    public var redirectsToHTTPS = Schema.gateway.redirectHTTPS.default
    /// How long requests are served normally after SIGTERM, while `/readyz` reports that the gateway is not ready.
    public var shutdownDelay = Schema.gateway.shutdownDelay.default
    /// How long requests under way may take after that.
    public var shutdownGrace = Schema.gateway.shutdownGrace.default
    public var limits: ConnectionLimits = ConnectionLimits()
    public var metrics = MetricsSettings()
    public var log: LogSettings = LogSettings()
    /// nil: no trace is sent.
    public var tracing: TracingSettings?
    /// nil: no webhook is told of events.
    public var events: EventSettings?
}

/// The size of `/metrics`.
public struct MetricsSettings: Sendable, Equatable {
    /// How many tenants have series of their own.
    public var tenants = Schema.metrics.tenants.default
}

/// Where tenants come from.
public enum TenantPlace: String, Sendable, CaseIterable {
    /// tenants.yaml.
    case files
    /// What the admin API has written.
    case store
}

/// One address that the gateway accepts requests on.
public struct Listener: Sendable, Equatable {
    public var address: HostPort
    public var tls = Schema.listener.tls.default
}

/// The admin listener, apart from the tenants' traffic.
public struct AdminSettings: Sendable, Equatable {
    public var address: HostPort
    /// May do all. When `address` is not loopback and clients' certificates are not asked for, there is this one or one
    /// of `tokens`.
    public var token: Secret?
    /// Tokens that may do a part.
    public var tokens: [AdminToken] = []
    /// nil: plain text. With client authorities, a client certificate of one of them stands for the token.
    public var tls: ServerCertificate?
}

/// Bounds on connections and request heads of one process.
public struct ConnectionLimits: Sendable, Equatable {
    public var headerBytes = Schema.connectionLimits.headerBytes.default
    public var headers = Schema.connectionLimits.headers.default
    public var connections = Schema.connectionLimits.connections.default
    public var idleTimeout = Schema.connectionLimits.idleTimeout.default
    public var headerTimeout = Schema.connectionLimits.headerTimeout.default
}
