import Authorization
import Proxy
import Tenants
import Upstream

/// Health checks of the tenants' servers.
extension Gateway {
    /// Each server is probed by one loop, the same for all tenants that have it, which notifies all loops.
    ///
    /// - Parameter isReloaded: Whether loops may have probes for the tenant already.
    func probeServers(of tenant: TenantIndex, _ running: Running, isReloaded: Bool = false) {
        let snapshot = running.parts.snapshot
        let workers = running.workers
        var wanted: [[WantedProbe]] = Array(repeating: [], count: workers.count)
        let backends = snapshot.isServed(tenant) ? snapshot.tenants[tenant].backends : []
        for index in backends.backendIndices where backends[index].health != nil {
            let tls = running.parts.backendTLS[tenant][index]
            for server in backends[index].servers {
                let turn = StableHash.of(ServerPool.label(of: server).utf8) % UInt64(workers.count)
                wanted[Int(turn)].append(WantedProbe(server, of: backends[index], at: index, tls))
            }
        }
        for (worker, probes) in zip(workers, wanted) where isReloaded || !probes.isEmpty {
            worker.execute { worker in
                worker.probes.set(probes, of: tenant) { listeners, server, isUp in
                    for worker in workers { worker.execute { $0.probed(listeners, server, isUp: isUp) } }
                }
            }
        }
    }

    /// Probes again where servers, or their probes, have changed.
    func probeAnew(from old: Running, _ new: Running) {
        let (before, after) = (old.parts.snapshot, new.parts.snapshot)
        for index in after.tenants.tenantIndices {
            let isSame =
                index.value < before.tenants.count && before.revisions[index] == after.revisions[index]
                && old.parts.backendTLS[index] == new.parts.backendTLS[index]
            if !isSame { probeServers(of: index, new, isReloaded: true) }
        }
    }
}
