/// A service behind a tenant.
public struct Backend: Sendable, Equatable {
    /// The name of a tenant's only backend, and of the one that takes what no route is for.
    public static let defaultName = "default"

    /// Its key in `backends`.
    public var name = Backend.defaultName
    /// At least one.
    public var servers: [BackendServer]
    public var timeouts: BackendTimeouts = BackendTimeouts()
    public var limits: BackendLimits = BackendLimits()
    public var balance: Balance = .roundRobin
    /// nil: only the outcomes of requests decide whether a server is healthy.
    public var health: HealthCheck?
    public var retries: RetryRules = RetryRules()
    /// For the servers with `https`.
    public var tls: BackendTLS = BackendTLS()
}

/// One address of a backend.
public struct BackendServer: Sendable, Equatable, Hashable {
    public enum Scheme: String, Sendable, Hashable {
        case http
        /// TLS; HTTP/2 or HTTP/1.1 by ALPN.
        case https
        /// HTTP/2 without TLS, with prior knowledge (RFC 9113 section 3.3).
        case h2c
    }

    public var scheme: Scheme = .http
    public var address: HostPort
    /// Its share of the requests beside the other servers' weights.
    public var weight = Schema.server.weight.default
}

public struct BackendTimeouts: Sendable, Equatable {
    public var connect = Schema.backendTimeouts.connect.default
    public var response = Schema.backendTimeouts.response.default
    public var idle = Schema.backendTimeouts.idle.default
}

public struct BackendLimits: Sendable, Equatable {
    public var connections = Schema.backendLimits.connections.default
    public var pending = Schema.backendLimits.pending.default
}
