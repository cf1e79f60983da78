import NIOEmbedded
import Tenants

@testable import Gateway

/// A worker whose loop never runs, for what hangs on one: pools and their labels.
final class EmbeddedHouse {
    let worker: Worker

    init(servers: Int = 1) throws {
        var tenant = try Door.tenant()
        tenant.backend.servers = (1...servers).map {
            BackendServer(address: HostPort(host: "127.0.0.1", port: 9000 + $0))
        }
        let parts = Worker.Parts(
            configuration: TenantsConfiguration(gateway: GatewaySettings(listeners: []), tenants: [tenant]),
            directory: TenantDirectory([tenant]),
            gauge: ConnectionGauge(),
            accessLog: nil,
            loops: 1,
            slowVerifiers: [SlowVerifier([tenant])]
        )
        worker = Worker(parts, eventLoop: EmbeddedEventLoop())
    }

    var pools: [ServerPool] { worker.serving.tenants.flatMap(\.servers.pools) }
}
