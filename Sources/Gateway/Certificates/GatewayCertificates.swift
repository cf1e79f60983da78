import Logging
import NIOPosix
import Tenants
import Upstream

/// All certificates of a configuration.
struct GatewayCertificates: Sendable {
    /// Nil if no tenant has any.
    let server: ServerCertificates?
    /// By tenant and backend index; nil for a backend without `https` servers.
    let backends: [[BackendTLSContexts?]]

    /// - Parameter before: The ones in use, by tenant index: removed tenants keep theirs, as their files may be gone.
    static func load(
        _ snapshot: ConfigurationSnapshot,
        before: [[BackendTLSContexts?]] = []
    ) async throws -> GatewayCertificates {
        let hosts = hosts(snapshot.configuration)
        let tenants = snapshot.tenants
        return try await NIOThreadPool.singleton.runIfActive {
            var made: [BackendTLS: BackendTLSContexts] = [:]
            let backends = try tenants.tenantIndices.map { index -> [BackendTLSContexts?] in
                guard snapshot.isServed(index) else { return before[index] }
                return try tenants[index].backends.map { backend in
                    guard backend.servers.contains(where: { $0.scheme == .https }) else { return nil }
                    let contexts = try made[backend.tls] ?? BackendTLSContexts(backend.tls)
                    made[backend.tls] = contexts
                    return contexts
                }
            }
            return GatewayCertificates(server: try ServerCertificates(loading: hosts), backends: backends)
        }
    }

    /// Reloads the server certificates when their files change; nil if there are none. Make it before the files are
    /// read for the first time.
    static func watch(
        _ configuration: TenantsConfiguration,
        logger: Logger,
        use: @escaping @Sendable (ServerCertificates) async -> Void
    ) -> CertificateWatch<ServerCertificates?>? {
        let hosts = hosts(configuration)
        guard !hosts.isEmpty else { return nil }
        return CertificateWatch(
            files: ServerCertificates.files(of: hosts),
            logger: logger.of(.tls),
            load: { () throws(CertificateProblem) in try ServerCertificates(loading: hosts) },
            use: { certificates in
                if let certificates { await use(certificates) }
            }
        )
    }

    private static func hosts(
        _ configuration: TenantsConfiguration
    ) -> [(hosts: [HostPattern], certificate: ServerCertificate)] {
        configuration.tenants.compactMap { tenant in tenant.tls.map { (tenant.hosts, $0) } }
    }
}
