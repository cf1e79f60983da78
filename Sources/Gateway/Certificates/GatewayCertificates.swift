import Logging
import NIOPosix
import Tenants
import Upstream

/// All certificates that a configuration names, read.
struct GatewayCertificates: Sendable {
    /// Nil where no tenant has any.
    let server: ServerCertificates?
    /// By the place of the tenant; nil for one without `https` servers.
    let backends: [BackendTLSContexts?]

    /// - Parameter before: What is in use, by place: tenants that are no longer in the file keep it, as their own files may
    ///   be gone.
    static func load(
        _ edition: ConfigurationSnapshot,
        before: [BackendTLSContexts?] = []
    ) async throws -> GatewayCertificates {
        let hosts = hosts(edition.configuration)
        let tenants = edition.tenants
        let served = Set(edition.places)
        return try await NIOThreadPool.singleton.runIfActive {
            var made: [BackendTLS: BackendTLSContexts] = [:]
            let backends = try tenants.tenantIndices.map { place -> BackendTLSContexts? in
                let tenant = tenants[place]
                guard served.contains(place) else { return before[place] }
                guard tenant.backend.servers.contains(where: { $0.scheme == .https }) else { return nil }
                let contexts = try made[tenant.backend.tls] ?? BackendTLSContexts(tenant.backend.tls)
                made[tenant.backend.tls] = contexts
                return contexts
            }
            return GatewayCertificates(server: try ServerCertificates(loading: hosts), backends: backends)
        }
    }

    /// Reads the server certificates anew when their files change; nil where there are none. To be made before the files
    /// are read for the first time.
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
