/// The addresses of Redis and the settings of its client.
public struct RedisConfiguration: Sendable, Hashable {
    public enum Servers: Sendable, Hashable {
        /// The server. Of several addresses, the first that accepts the connection: all lead to the same data.
        case direct([RedisAddress])
        /// The sentinels name the current master with that name. They may need separate credentials.
        case sentinels([RedisAddress], masterName: String, credentials: RedisCredentials? = nil)
    }

    public var servers: Servers
    public var credentials: RedisCredentials?
    public var database = 0
    /// Nil for a connection in plain text. With Sentinel it applies to the sentinels too.
    public var tls: RedisTLS?
    /// For a connection to become ready: resolving, connecting, TLS, and the handshake.
    public var connectTimeout: Duration = .seconds(2)
    /// For the reply to a command, from the call on.
    public var commandTimeout: Duration = .seconds(2)
    /// After this time without any byte from the server it is checked with a command.
    public var idleCheckInterval: Duration = .seconds(5)
    public var retry = RedisRetry()
    /// How many commands may wait to be sent or for a reply.
    public var maximumQueuedCommands = 10_000
    /// The maximum bytes of those commands.
    public var maximumQueuedBytes = 64 << 20
    /// The maximum memory of one reply.
    public var maximumReplyBytes = 64 << 20
    /// The name in `CLIENT LIST`.
    public var clientName: String?

    public init(servers: Servers) {
        self.servers = servers
    }
}

public struct RedisAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name or an IP address, an IPv6 address without brackets.
    public var host: String
    public var port: Int

    public init(host: String, port: Int = 6379) {
        self.host = host
        self.port = port
    }

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

public struct RedisCredentials: Sendable, Hashable {
    /// Nil for Redis' user `default`.
    public var user: String?
    public var password: RedisPassword

    public init(user: String? = nil, password: RedisPassword) {
        self.user = user
        self.password = password
    }
}

/// A password that is not shown in any description.
public struct RedisPassword: Sendable, Hashable {
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension RedisPassword: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<redacted>" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// TLS to the server, whose certificate is always verified, both chain and name.
public struct RedisTLS: Sendable, Hashable {
    /// PEM. Nil for the system's roots.
    public var caFile: String?
    /// PEM, the client's certificate first, then its chain. Together with `keyFile`, or neither.
    public var certificateFile: String?
    /// PEM.
    public var keyFile: String?
    /// The name that the server's certificate must be for. Nil for the host of the address.
    public var serverName: String?

    public init(
        caFile: String? = nil,
        certificateFile: String? = nil,
        keyFile: String? = nil,
        serverName: String? = nil
    ) {
        self.caFile = caFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.serverName = serverName
    }
}

/// The waits between attempts to connect.
public struct RedisRetry: Sendable, Hashable {
    /// The maximum before the first attempt; it doubles with each failure.
    public var base: Duration = .milliseconds(50)
    /// The overall maximum for temporary failures.
    public var cap: Duration = .seconds(5)
    /// The maximum after the server refused the credentials; half of it is the minimum.
    public var refused: Duration = .seconds(20)

    public init() {}
}
