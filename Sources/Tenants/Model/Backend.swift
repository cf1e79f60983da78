/// The service behind a tenant.
public struct Backend: Sendable, Equatable {
    /// At least one.
    public var servers: [BackendServer]
    public var timeouts: BackendTimeouts
    public var limits: BackendLimits
    public var balance: Balance
    /// nil: servers are judged by the requests that they get only.
    public var health: HealthCheck?
    public var retries: RetryRules
    /// For the servers with `https`.
    public var tls: BackendTLS

    public init(
        servers: [BackendServer],
        timeouts: BackendTimeouts = BackendTimeouts(),
        limits: BackendLimits = BackendLimits(),
        balance: Balance = .roundRobin,
        health: HealthCheck? = nil,
        retries: RetryRules = RetryRules(),
        tls: BackendTLS = BackendTLS()
    ) {
        self.servers = servers
        self.timeouts = timeouts
        self.limits = limits
        self.balance = balance
        self.health = health
        self.retries = retries
        self.tls = tls
    }
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

    public var scheme: Scheme
    public var address: HostPort
    /// Its share of the requests beside the other servers' weights.
    public var weight: Int

    public init(scheme: Scheme = .http, address: HostPort, weight: Int = 1) {
        self.scheme = scheme
        self.address = address
        self.weight = weight
    }
}

public struct BackendTimeouts: Sendable, Equatable {
    /// Until the connection stands, its TLS handshake included.
    public var connect: Duration
    /// From the end of the request to the first byte of the answer.
    public var response: Duration
    /// Between two reads of an answer, and how long an unused connection is kept.
    public var idle: Duration

    public init(
        connect: Duration = .seconds(2),
        response: Duration = .seconds(30),
        idle: Duration = .seconds(60)
    ) {
        self.connect = connect
        self.response = response
        self.idle = idle
    }
}

public struct BackendLimits: Sendable, Equatable {
    /// Connections to one server.
    public var connections: Int
    /// Requests that may wait for a connection to one server.
    public var pending: Int

    public init(connections: Int = 512, pending: Int = 1024) {
        self.connections = connections
        self.pending = pending
    }
}
