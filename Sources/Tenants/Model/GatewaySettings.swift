/// The `gateway` section: what belongs to the process and not to one tenant.
public struct GatewaySettings: Sendable {
    public var listeners: [Listener]
    public var admin: AdminSettings?
    /// Nil: Envoy is not answered by gRPC.
    public var extAuthz: ExtAuthzSettings?
    public var store: StoreLocation
    /// Where copies of fetched key sets are kept, for a start while provider and store are down. Resolved; nil: none
    /// are kept.
    public var stateDirectory: String?
    /// Event loops; 0 stands for one a core.
    public var threads: Int
    /// Peers whose `Forwarded` and `X-Forwarded-*` fields and PROXY headers are believed.
    public var trustedProxies: [AddressRange]
    /// How long everything is served as before after SIGTERM, while `/readyz` tells load balancers to go elsewhere.
    public var shutdownDelay: Duration
    /// How long requests under way may take after that.
    public var shutdownGrace: Duration
    public var limits: ConnectionLimits
    public var log: LogSettings
    /// Nil: no trace is sent.
    public var tracing: TracingSettings?

    public init(
        listeners: [Listener],
        admin: AdminSettings? = nil,
        extAuthz: ExtAuthzSettings? = nil,
        store: StoreLocation = .memory,
        stateDirectory: String? = nil,
        threads: Int = 0,
        trustedProxies: [AddressRange] = [],
        shutdownDelay: Duration = .zero,
        shutdownGrace: Duration = .seconds(30),
        limits: ConnectionLimits = ConnectionLimits(),
        log: LogSettings = LogSettings(),
        tracing: TracingSettings? = nil
    ) {
        self.listeners = listeners
        self.admin = admin
        self.extAuthz = extAuthz
        self.store = store
        self.stateDirectory = stateDirectory
        self.threads = threads
        self.trustedProxies = trustedProxies
        self.shutdownDelay = shutdownDelay
        self.shutdownGrace = shutdownGrace
        self.limits = limits
        self.log = log
        self.tracing = tracing
    }
}

/// One address that the gateway accepts requests on.
public struct Listener: Sendable, Equatable {
    public var address: HostPort
    public var tls: Bool

    public init(address: HostPort, tls: Bool = false) {
        self.address = address
        self.tls = tls
    }
}

/// The admin listener, apart from the tenants' traffic.
public struct AdminSettings: Sendable, Equatable {
    public var address: HostPort
    /// Required when `address` is not loopback and clients' certificates are not asked for.
    public var token: Secret?
    /// Nil: plain text. With client authorities, a client certificate of one of them stands for the token.
    public var tls: ServerCertificate?

    public init(address: HostPort, token: Secret? = nil, tls: ServerCertificate? = nil) {
        self.address = address
        self.token = token
        self.tls = tls
    }
}

/// Bounds on connections and request heads of one process.
public struct ConnectionLimits: Sendable, Equatable {
    /// Request line and fields together, in bytes (431 above it).
    public var headerBytes: Int
    /// Fields in one head (431 above it).
    public var headers: Int
    /// Client connections open at once (503 above it).
    public var connections: Int
    /// How long a connection may be silent, between requests or inside a body.
    public var idleTimeout: Duration
    /// How long a client may take to send a whole head.
    public var headerTimeout: Duration

    public init(
        headerBytes: Int = 32 << 10,
        headers: Int = 100,
        connections: Int = 10_000,
        idleTimeout: Duration = .seconds(75),
        headerTimeout: Duration = .seconds(10)
    ) {
        self.headerBytes = headerBytes
        self.headers = headers
        self.connections = connections
        self.idleTimeout = idleTimeout
        self.headerTimeout = headerTimeout
    }
}
