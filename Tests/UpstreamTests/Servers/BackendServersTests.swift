import Tenants
import TestSupport
import Testing

@testable import Upstream

struct BackendServersTests {
    @Test func serversTakeTurnsWithoutTriedOnes() throws {
        let embedded = try EmbeddedServers(3)
        let servers = embedded.servers
        let taken = (0..<6).compactMap { _ in servers.choose(for: nil, butNot: [])?.serverIndex }
        #expect(Array(taken.prefix(3)) == Array(taken.suffix(3)))
        #expect(Set(taken) == [0, 1, 2])
        #expect(servers.choose(for: nil, butNot: [2, 0])?.serverIndex == 1)
        #expect(servers.choose(for: nil, butNot: [0, 1, 2]) == nil)
    }

    @Test func serverProbedDownGetsNoRequests() throws {
        let embedded = try EmbeddedServers(2, balance: .leastRequests)
        let servers = embedded.servers
        servers.probed(embedded.pools[0].server, isUp: false)
        #expect((0..<20).allSatisfy { _ in servers.choose(for: nil, butNot: [])?.serverIndex == 1 })
        #expect(!embedded.pools[0].isHealthy && embedded.pools[1].isHealthy)
        servers.probed(embedded.pools[1].server, isUp: false)
        #expect(servers.choose(for: nil, butNot: []) == nil)
    }

    /// A request that lasts for days holds the configuration that it began with, and not one for each reload since.
    @Test func serversOfIntermediateReloadsAreReleased() throws {
        let embedded = try EmbeddedServers(2)
        let first = embedded.servers
        let backend = try SampleTenant.tenant().backends[0]
        weak var between: BackendServers?
        func reload(from previous: BackendServers) -> BackendServers {
            BackendServers(backend, tls: nil, loop: embedded.loop, loops: 1, previous: previous)
        }
        func reloadTwice() -> BackendServers {
            let second = reload(from: first)
            between = second
            return reload(from: second)
        }
        let last = reloadTwice()
        #expect(between == nil)
        // A retry goes to the current servers of the tenant.
        let chosen = try #require(first.choose(for: nil, butNot: []))
        #expect(last.pools.contains { $0 === chosen })
    }

    @Test func closedServersAreReleased() throws {
        let embedded = try EmbeddedServers(1)
        let backend = try SampleTenant.tenant().backends[0]
        weak var closed: BackendServers?
        func serve() {
            let servers = BackendServers(backend, tls: nil, loop: embedded.loop, loops: 1)
            closed = servers
            servers.close()
        }
        serve()
        #expect(closed == nil)
    }

    @Test func durationsBecomeBoundedNanoseconds() {
        #expect(Duration.milliseconds(1500).nanosecondsClamped == 1_500_000_000)
        #expect(Duration.zero.nanosecondsClamped == 0)
        #expect(Duration.seconds(Int64.max).nanosecondsClamped == 1 << 62)
    }
}
