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
            var configuration = try Self.configuration(Array(names))
            // Copies of those in force are found by another way.
            for place in configuration.tenants.indices where turn.isMultiple(of: 2) {
                guard let index = snapshot.index(of: configuration.tenants[place].name) else { continue }
                configuration.tenants[place] = snapshot.tenants[index]
            }
            snapshot = snapshot.next(configuration, at: UnixTime(Double(turn)))
            #expect(Set(snapshot.indices).count == names.count)
            for (name, index) in zip(names, snapshot.indices) {
                #expect(snapshot.tenants[index].name == name)
                #expect(snapshot.isServed(index) && snapshot.index(of: name) == index)
                #expect(snapshot.tenants[index].hosts == [.exact("\(name).test")])
                #expect(known[name, default: index] == index)
                known[name] = index
            }
            for index in snapshot.tenants.tenantIndices where !snapshot.indices.contains(index) {
                #expect(snapshot.tenants[index].hosts.isEmpty)
                #expect(!snapshot.isServed(index) && snapshot.index(of: snapshot.tenants[index].name) == nil)
            }
        }
        #expect(snapshot.tenants.count == known.count)
    }

    /// Only what a reload changes is made anew.
    @Test func revisionIsTheGenerationOfTheLastChange() throws {
        let first = ConfigurationSnapshot(try Self.configuration(["a", "b", "c"]), at: 1)
        #expect(first.revisions == [1, 1, 1])
        var changed = try Self.configuration(["a", "b", "c", "d"])
        changed.tenants[1].mode = .observe
        changed.tenants[2].lines = ["": 9]
        let second = first.next(changed, at: 2)
        #expect(second.revisions == [1, 2, 2, 2])
        #expect(!second.hasSameTenants(as: first))
        #expect(second.next(changed, at: 3).hasSameTenants(as: second))
        changed.tenants.removeFirst()
        let third = second.next(changed, at: 3)
        #expect(third.revisions == [3, 2, 2, 2])
        #expect(third.next(changed, at: 4).revisions == [3, 2, 2, 2])
        changed.tenants.swapAt(0, 1)
        #expect(!third.next(changed, at: 4).hasSameTenants(as: third))
    }

    @Test func tenantsOfAKeySourceAreFound() throws {
        var configuration = try Self.configuration(["a", "b", "c"])
        let source = KeySource.builtIn(tenant: "a")
        for index in [0, 2] { configuration.tenants[index].authenticate.keySources = [source, source] }
        let first = ConfigurationSnapshot(configuration, at: 1)
        #expect(first.tenantsByKeySource == [source: [0, 2]])
        configuration.tenants.removeFirst()
        #expect(first.next(configuration, at: 2).tenantsByKeySource == [source: [2]])
    }
}
