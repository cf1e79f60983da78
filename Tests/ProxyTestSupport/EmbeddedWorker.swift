import Authorization
package import IdentityProvider
import Logging
import NIOEmbedded
import NIOPosix
package import Proxy
package import SharedState
import Store
package import Upstream
import UpstreamTestSupport

@testable package import Tenants

/// A worker whose loop never runs, for what hangs on one: pools and their labels.
package final class EmbeddedWorker {
    package let worker: Worker

    package convenience init(servers: Int = 1) throws {
        var tenant = try RequestPipeline.tenant()
        tenant.backends[0].servers = (1...servers).map {
            BackendServer(address: HostPort(host: "127.0.0.1", port: 9000 + $0))
        }
        self.init([tenant])
    }

    package init(
        _ tenants: [Tenant],
        gateway: GatewaySettings = GatewaySettings(listeners: []),
        keys: @escaping @Sendable (RemoteKeySource, KeySetReason) async -> KeySetResult = { _, _ in .nothingNew },
        answer: @escaping @Sendable (TenantIndex, EndpointRequest) async -> EndpointResult = { _, _ in
            .refused(.badRequest("nobody answers here"))
        }
    ) {
        let snapshot = ConfigurationSnapshot(TenantsConfiguration(gateway: gateway, tenants: tenants), at: 0)
        let parts = Worker.Parts(
            snapshot: snapshot,
            directory: TenantDirectory(tenants),
            gauge: ConnectionGauge(),
            accessLog: nil,
            loops: 1,
            slowVerifiers: [SlowVerifier(snapshot, eventLoop: MultiThreadedEventLoopGroup.singleton.any())],
            controlPlane: ControlPlane(
                keys: keys,
                endSession: { _ in true },
                introspect: { _ in .unavailable(retryAfterSeconds: 1, isForAll: true) },
                refresh: { _ in .unavailable(.late) },
                capture: { _ in false },
                answer: answer,
                register: { _, _ in }
            ),
            limits: SharedLimits(tenants, store: MemoryStore(), logger: Logger(label: "test")),
            backendTLS: tenants.map { $0.backends.map { _ in nil } },
            logger: Logger(label: "test")
        )
        worker = Worker(parts, eventLoop: EmbeddedEventLoop())
        worker.use(RevocationUpdate(sets: [:], contact: worker.lastTick))
    }

    package var pools: [ServerPool] { worker.serving.tenants.flatMap(\.backends[0].pools) }
}
