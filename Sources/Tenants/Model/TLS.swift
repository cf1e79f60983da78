/// The certificate for a tenant's hosts on TLS listeners. Paths are resolved; the files are read where they are served,
/// again whenever they change.
public struct ServerCertificate: Sendable, Equatable, Hashable {
    /// PEM: the leaf first, then the certificates between it and the root.
    public var certificateFile: String
    /// PEM: the leaf's private key, unencrypted.
    public var keyFile: String
    /// PEM: the authorities of clients' certificates; nil: clients need none.
    public var clientCAFile: String?
}

/// TLS to the `https` servers of one backend, whose certificates are always verified. Paths are resolved.
public struct BackendTLS: Sendable, Equatable, Hashable {
    /// PEM: the authorities of the servers' certificates; nil: the system's.
    public var caFile: String?
    /// PEM: the gateway's own certificate; goes with `keyFile`.
    public var certificateFile: String?
    public var keyFile: String?
    /// The name that the server's certificate must have and that SNI asks for; nil: the host of the server's URL.
    public var serverName: String?
}
