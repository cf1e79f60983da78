import TestSupport
import Testing

/// Two instances behind HAProxy are replaced one after the other under load.
@Suite struct RollingTests {
    @Test func noRequestFailsWhileInstancesAreReplaced() async throws {
        let provider = try RotatingProvider()
        let log = RollingLog()
        var setup = GatewaySetup.rotatingCookies()
        setup.gateway = """
            trusted_proxies: [127.0.0.1/32]
            shutdown_delay: 2s
            shutdown_grace: 30s
            """
        try await RedisServer.run { server in
            try await withInstances(setup, backend: RollingClients.script(provider)) { fleet in
                let pair = [try await fleet.startProcess(server.url), try await fleet.startProcess(server.url)]
                try await LoadBalancer.run(pair.map(\.instance)) { balancer in
                    let crowd = RollingClients(address: balancer.address, provider: provider, log: log)
                    try await withThrowingTaskGroup { group in
                        group.addTask { await crowd.run() }
                        // The load must end in any case.
                        defer { log.end() }
                        for (index, process) in pair.enumerated() {
                            try await log.flow(20)
                            #expect(try await process.replace() == 0)
                            try await balancer.awaitUp(index)
                        }
                        try await log.flow(20)
                        log.end()
                        try await group.waitForAll()
                    }
                }
            }
        }
        #expect(log.wrong == [])
        #expect(log.counts[.moved, default: 0] >= 2, "each WebSocket was on one of the two")
        #expect(provider.reuses == 0)
    }
}
