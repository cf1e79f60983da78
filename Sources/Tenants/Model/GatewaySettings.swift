/// The `gateway` section: what belongs to the process and not to one tenant.
public struct GatewaySettings: Sendable {
    public var listeners: [Listener]
    public var admin: AdminSettings?
    /// Nil: Envoy is not answered by gRPC.
    public var extAuthz: ExtAuthzSettings?
    public var store: StoreLocation = .memory
    /// Where copies of fetched key sets are kept, for a start while provider and store are down. Resolved; nil: none
    /// are kept.
    public var stateDirectory: String?
    public var threads = Schema.gateway.threads.standard
    /// Peers whose `Forwarded` and `X-Forwarded-*` fields and PROXY headers are believed.
    public var trustedProxies: [AddressRange] = []
    /// How long everything is served as before after SIGTERM, while `/readyz` tells load balancers to go elsewhere.
    public var shutdownDelay = Schema.gateway.shutdownDelay.standard
    /// How long requests under way may take after that.
    public var shutdownGrace = Schema.gateway.shutdownGrace.standard
    public var limits: ConnectionLimits = ConnectionLimits()
    public var log: LogSettings = LogSettings()
    /// Nil: no trace is sent.
    public var tracing: TracingSettings?
}

/// One address that the gateway accepts requests on.
public struct Listener: Sendable, Equatable {
    public var address: HostPort
    public var tls = Schema.listener.tls.standard
}

/// The admin listener, apart from the tenants' traffic.
public struct AdminSettings: Sendable, Equatable {
    public var address: HostPort
    /// Required when `address` is not loopback and clients' certificates are not asked for.
    public var token: Secret?
    /// Nil: plain text. With client authorities, a client certificate of one of them stands for the token.
    public var tls: ServerCertificate?
}

/// Bounds on connections and request heads of one process.
public struct ConnectionLimits: Sendable, Equatable {
    public var headerBytes = Schema.connectionLimits.headerBytes.standard
    public var headers = Schema.connectionLimits.headers.standard
    public var connections = Schema.connectionLimits.connections.standard
    public var idleTimeout = Schema.connectionLimits.idleTimeout.standard
    public var headerTimeout = Schema.connectionLimits.headerTimeout.standard
}
