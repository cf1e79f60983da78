package import Counting
package import Tenants
package import Upstream

/// Health of servers.
extension Worker {
    /// Begins to probe a server on behalf of all loops.
    package func probe(
        _ server: BackendServer,
        of tenant: TenantIndex,
        _ index: BackendIndex,
        _ tls: BackendTLSContexts?,
        announce: @escaping (Bool) -> Void
    ) {
        let backend = serving.tenants[tenant].tenant.backends[index]
        guard let check = backend.health else { return }
        let checker = HealthChecker(check, of: server, backend, tls: tls?.any, loop: loop, announce: announce)
        healthCheckers[tenant, default: []].append(checker)
        checker.start()
    }

    /// Stops probing a tenant's servers from this loop.
    package func stopProbing(tenant: TenantIndex) {
        for checker in healthCheckers.removeValue(forKey: tenant) ?? [] { checker.stop() }
    }

    /// - Parameter index: Of a backend that may no longer exist.
    package func probed(tenant: TenantIndex, _ index: BackendIndex, server: BackendServer, isUp: Bool) {
        let backends = serving.tenants[tenant].backends
        if backends.indices.contains(index.value) { backends[index].probed(server, isUp: isUp) }
    }

    /// By tenant, backend and server, for tenants that have hosts.
    package func backendCounts() -> [BackendCount] {
        serving.tenants.filter { !$0.tenant.hosts.isEmpty }.flatMap { tenant in
            tenant.backends.flatMap { backend in
                backend.pools.map { pool in
                    BackendCount(
                        tenant: tenant.tenant.name,
                        backend: backend.name,
                        server: pool.label,
                        counts: pool.allCounters,
                        isHealthy: pool.isHealthy
                    )
                }
            }
        }
    }
}
