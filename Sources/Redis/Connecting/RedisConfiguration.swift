/// Where Redis is and how it is spoken to.
public struct RedisConfiguration: Sendable, Hashable {
    public enum Servers: Sendable, Hashable {
        /// The server. Of several, the first that takes the connection: they are doors to the same data.
        case direct([RedisAddress])
        /// These say which server is the master of that name at the moment. They may want credentials of their own.
        case sentinels([RedisAddress], masterName: String, credentials: RedisCredentials? = nil)
    }

    public var servers: Servers
    public var credentials: RedisCredentials?
    public var database = 0
    /// Nil for a connection in the clear. With Sentinel it holds for the sentinels too.
    public var tls: RedisTLS?
    /// For a connection to be ready: resolving, connecting, the TLS handshake, and what is said first.
    public var connectTimeout: Duration = .seconds(2)
    /// For a command to be answered, from the call on.
    public var commandTimeout: Duration = .seconds(2)
    /// After how long without a word from the server it is asked whether it is there.
    public var idleCheckInterval: Duration = .seconds(5)
    public var retry = RedisRetry()
    /// How many commands may wait to be sent or answered.
    public var maximumQueuedCommands = 10_000
    /// How many bytes those may have.
    public var maximumQueuedBytes = 64 << 20
    /// What memory one reply may take.
    public var maximumReplyBytes = 64 << 20
    /// What `CLIENT LIST` shows.
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
    /// Nil: Redis' user `default`.
    public var user: String?
    public var password: RedisPassword

    public init(user: String? = nil, password: RedisPassword) {
        self.user = user
        self.password = password
    }
}

/// A password that shows in no description of itself or of what it is part of.
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

/// TLS to the server, whose certificate is always verified, for the chain and the name.
public struct RedisTLS: Sendable, Hashable {
    /// PEM. Nil: the roots of the system.
    public var caFile: String?
    /// PEM, the certificate of the client first, then its chain. With `keyFile`, or neither.
    public var certificateFile: String?
    /// PEM.
    public var keyFile: String?
    /// What the server's certificate has to be for. Nil: the host of the address.
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

/// How long is waited between attempts to connect.
public struct RedisRetry: Sendable, Hashable {
    /// The most before the first attempt; it doubles with each that fails.
    public var base: Duration = .milliseconds(50)
    /// The most ever, for what time may mend.
    public var cap: Duration = .seconds(5)
    /// The most when the server refused the credentials; half of it is the least.
    public var refused: Duration = .seconds(20)

    public init() {}
}
