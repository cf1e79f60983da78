import Logging
import NIOEmbedded
import TestSupport
import Upstream

@testable import Tenants

/// A tenant's servers on a loop that never runs. The servers do not retain the loop; this does.
struct EmbeddedServers {
    let loop: LoopContext
    let servers: BackendServers

    init(_ count: Int = 1, balance: Balance = .roundRobin) throws {
        var backend = try SampleTenant.tenant().backends[0]
        backend.balance = balance
        backend.servers = (1...count).map {
            BackendServer(address: HostPort(host: "127.0.0.1", port: 9000 + $0))
        }
        loop = LoopContext(
            EmbeddedEventLoop(),
            names: .system,
            logger: Logger(label: "test"),
            limits: ConnectionLimits()
        )
        servers = BackendServers(backend, tls: nil, loop: loop, loops: 1, previous: nil)
    }

    var pools: [ServerPool] { servers.pools }
}
