import NIOEmbedded
import Tenants
import Testing

@testable import Gateway

struct BackendServersTests {
    @Test func serversAreTakenInTurnAndTriedOnesLeftOut() throws {
        let house = try EmbeddedHouse(servers: 3)
        let pools = house.pools
        let servers = BackendServers(pools)
        let taken = (0..<6).compactMap { _ in servers.choose(butNot: []) }
        #expect(taken.map(\.label) == (pools + pools).map(\.label))
        #expect(servers.choose(butNot: [pools[0]]) === pools[1])
        #expect(servers.choose(butNot: [pools[2], pools[0]]) === pools[1])
        #expect(servers.choose(butNot: pools) == nil)
        #expect(BackendServers([]).choose(butNot: []) == nil)
    }

    @Test func durationsBecomeBoundedNanoseconds() {
        #expect(Duration.milliseconds(1500).nanosecondsClamped == 1_500_000_000)
        #expect(Duration.zero.nanosecondsClamped == 0)
        #expect(Duration.seconds(Int64.max).nanosecondsClamped == 1 << 62)
    }
}
