import TestSupport
import Testing
import Time

@testable import Tenants

/// A tenant keeps its index when the file changes.
@Suite struct ConfigurationSnapshotTests {
    private static func configuration(_ names: [String]) throws -> TenantsConfiguration {
        TenantsConfiguration(
            gateway: GatewaySettings(listeners: []),
            tenants: try names.map { try SampleTenant.tenant(name: $0, host: "\($0).test") }
        )
    }

    @Test func indicesStayWhenTheOrderChanges() throws {
        let first = ConfigurationSnapshot(try Self.configuration(["a", "b", "c"]), at: 1)
        let second = first.next(try Self.configuration(["c", "new", "a"]), at: 2)
        #expect(second.generation == 2)
        #expect(second.since == 2)
        #expect(second.names == ["a", "b", "c", "new"])
        #expect(second.indices == [2, 3, 0])
        #expect(second.index(of: "b") == nil)
        #expect(second.tenants[1].hosts.isEmpty)
    }

    @Test func returningTenantKeepsItsIndex() throws {
        let first = ConfigurationSnapshot(try Self.configuration(["a", "b"]), at: 1)
        let second = first.next(try Self.configuration(["a"]), at: 2)
        let third = second.next(try Self.configuration(["b", "a"]), at: 3)
        #expect(third.indices == [1, 0])
        #expect(third.names == ["a", "b"])
        #expect(third.tenants[1].hosts == [.exact("b.test")])
    }

    /// Whatever came and went: each tenant of the file is found at its index, and nowhere else.
    @Test func everyTenantOfTheFileHasItsOwnIndex() throws {
        var random = SplitMix64(seed: 8)
        let all = (0..<12).map { "t\($0)" }
        var snapshot = ConfigurationSnapshot(try Self.configuration(["t0"]), at: 0)
        var known: [String: TenantIndex] = ["t0": 0]
        for turn in 1...500 {
            let names = all.shuffled(using: &random).prefix(Int.random(in: 1...12, using: &random))
            snapshot = snapshot.next(try Self.configuration(Array(names)), at: UnixTime(Double(turn)))
            #expect(Set(snapshot.indices).count == names.count)
            for (name, index) in zip(names, snapshot.indices) {
                #expect(snapshot.tenants[index].name == name)
                #expect(snapshot.tenants[index].hosts == [.exact("\(name).test")])
                #expect(known[name, default: index] == index)
                known[name] = index
            }
            for index in snapshot.tenants.tenantIndices where !snapshot.indices.contains(index) {
                #expect(snapshot.tenants[index].hosts.isEmpty)
            }
        }
        #expect(snapshot.tenants.count == known.count)
    }
}
