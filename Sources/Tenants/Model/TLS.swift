/// What a tenant shows to clients on TLS listeners, for every one of its hosts. Paths are resolved; what the files hold
/// is read by who serves with them, again whenever they change.
public struct ServerCertificate: Sendable, Equatable, Hashable {
    /// PEM: the leaf first, then the certificates between it and the root.
    public var certificateFile: String
    /// PEM: the leaf's private key, unencrypted.
    public var keyFile: String
    /// PEM: the authorities of clients' certificates. Where it is given, a client must show one.
    public var clientCAFile: String?
}

/// How the gateway speaks TLS to the `https` servers of one backend. Paths are resolved. That the server's certificate
/// is verified is no setting.
public struct BackendTLS: Sendable, Equatable, Hashable {
    /// PEM: the authorities of the servers' certificates; nil: the system's.
    public var caFile: String?
    /// PEM: the gateway's own certificate; goes with `keyFile`.
    public var certificateFile: String?
    public var keyFile: String?
    /// The name that the server's certificate must have and that SNI asks for; nil: the host of the server's URL.
    public var serverName: String?
}
