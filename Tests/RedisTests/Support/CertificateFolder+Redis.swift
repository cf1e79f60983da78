import TestSupport

extension CertificateFolder {
    /// `server` for localhost and 127.0.0.1, and `client`, both by `authority`; `stranger` is another authority.
    static func forRedis() throws -> CertificateFolder {
        let folder = try CertificateFolder()
        for authority in ["authority", "stranger"] { try folder.makeAuthority(authority) }
        try folder.makeServer("server", by: "authority", for: ["localhost", "127.0.0.1"])
        try folder.makeClient("client", by: "authority", subject: "/CN=client")
        return folder
    }
}
