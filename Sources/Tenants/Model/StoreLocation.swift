/// The store for revocations, key sets and sessions.
public enum StoreLocation: Sendable, Equatable {
    /// In the memory of the process; lost when it ends.
    case memory
    /// A SQLite file, for one instance. The path is resolved.
    case embedded(path: String)
    /// For any number of instances.
    case redis(RedisLocation)
}

/// The address of Redis, with its credentials and TLS.
public struct RedisLocation: Sendable, Equatable {
    /// The server, or the Sentinels that know it. At least one.
    public var endpoints: [HostPort]
    /// The name of the master; nil: the only endpoint is the server itself.
    public var sentinelMaster: String?
    /// The ACL user; nil: `default`.
    public var user: String?
    /// nil: no AUTH is sent.
    public var password: Secret?
    /// The same for the Sentinels.
    public var sentinelUser: String?
    public var sentinelPassword: Secret?
    /// The number for SELECT.
    public var database: Int = 0
    /// nil: without TLS.
    public var tls: RedisTLS?

    /// The name in logs: the URL without users, passwords and options.
    public var label: String {
        let scheme = tls == nil ? "redis" : "rediss"
        let addresses = endpoints.map(\.description).joined(separator: ",")
        guard let sentinelMaster else { return "\(scheme)://\(addresses)/\(database)" }
        return "\(scheme)+sentinel://\(addresses)/\(sentinelMaster)/\(database)"
    }
}

/// TLS to Redis and its Sentinels, whose certificates are always verified. Paths are resolved.
public struct RedisTLS: Sendable, Equatable {
    /// PEM: the authorities of the server's certificate; nil: the system's.
    public var caFile: String?
    /// PEM: the gateway's own certificate; goes with `keyFile`.
    public var certificateFile: String?
    public var keyFile: String?
    /// The name that the certificate must have and that SNI asks for; nil: the host that is connected to.
    public var serverName: String?
}
