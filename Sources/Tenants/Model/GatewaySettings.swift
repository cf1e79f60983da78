/// The `gateway` section: what belongs to the process and not to one tenant.
public struct GatewaySettings: Sendable {
    public var listeners: [Listener]
    public var admin: AdminSettings?
    public var store: StoreLocation
    /// Where copies of fetched key sets are kept, for a start while provider and store are down. Resolved; nil: none
    /// are kept.
    public var stateDirectory: String?
    /// Event loops; 0 stands for one a core.
    public var threads: Int
    /// Peers whose `Forwarded` and `X-Forwarded-*` fields and PROXY headers are believed.
    public var trustedProxies: [AddressRange]
    /// How long requests under way may take after SIGTERM.
    public var shutdownGrace: Duration
    public var limits: ConnectionLimits
    public var log: LogSettings

    public init(
        listeners: [Listener],
        admin: AdminSettings? = nil,
        store: StoreLocation = .memory,
        stateDirectory: String? = nil,
        threads: Int = 0,
        trustedProxies: [AddressRange] = [],
        shutdownGrace: Duration = .seconds(30),
        limits: ConnectionLimits = ConnectionLimits(),
        log: LogSettings = LogSettings()
    ) {
        self.listeners = listeners
        self.admin = admin
        self.store = store
        self.stateDirectory = stateDirectory
        self.threads = threads
        self.trustedProxies = trustedProxies
        self.shutdownGrace = shutdownGrace
        self.limits = limits
        self.log = log
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
public struct AdminSettings: Sendable {
    public var address: HostPort
    /// Required when `address` is not loopback.
    public var token: Secret?

    public init(address: HostPort, token: Secret? = nil) {
        self.address = address
        self.token = token
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

/// What is logged, and how.
public struct LogSettings: Sendable, Equatable {
    public enum Level: String, Sendable, CaseIterable {
        case trace, debug, info, notice, warning, error, critical
    }

    public enum Format: String, Sendable, CaseIterable {
        case json, text
    }

    public var level: Level
    public var format: Format
    /// One line a request.
    public var access: Bool

    public init(level: Level = .info, format: Format = .json, access: Bool = true) {
        self.level = level
        self.format = format
        self.access = access
    }
}
