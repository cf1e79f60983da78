package import Counting
package import Tenants
package import Upstream

/// Health of servers.
extension Worker {
    /// A probe has found a server up, or down.
    ///
    /// - Parameter listeners: Backends that have the server, some of which may no longer exist.
    package func probed(_ listeners: Set<ProbeListener>, _ server: BackendServer, isUp: Bool) {
        for listener in listeners {
            let backends = serving.tenants[listener.tenant].backends
            if backends.indices.contains(listener.backend.value) {
                backends[listener.backend].probed(server, isUp: isUp)
            }
        }
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
