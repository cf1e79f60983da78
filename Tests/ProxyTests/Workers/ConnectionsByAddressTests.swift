import TestSupport
import Testing
import Time

@testable import Authorization
@testable import Proxy

/// Which connections are closed in favour of others.
struct ConnectionsByAddressTests {
    private static let second: UInt64 = 1_000_000_000
    private static let (a, b, c) = (name(1), name(2), name(3))

    private static func name(_ byte: UInt8) -> SubjectName { SubjectName(short: [byte]) }

    private static func connections(
        _ address: SubjectName,
        _ count: Int,
        countsForAddress: Bool = true,
        isIdle: Bool = true
    ) -> [ConnectionsByAddress.Connection] {
        let connection = ConnectionsByAddress.Connection(
            address: address,
            countsForAddress: countsForAddress,
            isIdle: isIdle
        )
        return Array(repeating: connection, count: count)
    }

    @Test func addressesWithMostConnectionsAreEvictedFirst() {
        var connections = ConnectionsByAddress()
        let isDue = connections.refused(Self.c, at: .after(Self.second))
        #expect(isDue)
        let all = Self.connections(Self.a, 100) + Self.connections(Self.b, 90) + Self.connections(Self.c, 2)
        // A sixteenth of them is 12.
        let closed = connections.chooseIdle(among: all, at: .after(Self.second)).map { all[$0].address }
        #expect(closed.filter { $0 == Self.a }.count == 11)
        #expect(closed.filter { $0 == Self.b }.count == 1)
    }

    @Test func connectionWithRequestIsNotEvicted() {
        var connections = ConnectionsByAddress()
        _ = connections.refused(Self.b, at: 0)
        let all = Self.connections(Self.a, 50, isIdle: false) + Self.connections(Self.a, 2)
        let closed = connections.chooseIdle(among: all, at: 0)
        #expect(closed == [50, 51])
    }

    @Test func addressCannotEvictForItself() {
        var connections = ConnectionsByAddress()
        _ = connections.refused(Self.a, at: 0)
        let closed = connections.chooseIdle(among: Self.connections(Self.a, 50) + Self.connections(Self.b, 49), at: 0)
        #expect(closed == [])
    }

    @Test func evictedAddressComesLastForAWhile() {
        var connections = ConnectionsByAddress()
        _ = connections.refused(Self.b, at: 0)
        _ = connections.chooseIdle(among: Self.connections(Self.a, 50), at: 0)
        #expect(connections.isCrowded(Self.a, at: .after(9 * Self.second)))
        #expect(!connections.isCrowded(Self.b, at: .after(9 * Self.second)))
        #expect(!connections.isCrowded(Self.a, at: .after(10 * Self.second)))
    }

    @Test func evictedAddressesAreRemembered() {
        var connections = ConnectionsByAddress()
        for (moment, address) in [Self.a, Self.b].enumerated() {
            _ = connections.refused(Self.c, at: .after(UInt64(moment) * Self.second))
            _ = connections.chooseIdle(among: Self.connections(address, 50), at: .after(UInt64(moment) * Self.second))
        }
        #expect(connections.isCrowded(Self.a, at: .after(9 * Self.second)))
        #expect(connections.isCrowded(Self.b, at: .after(10 * Self.second)))
        #expect(!connections.isCrowded(Self.a, at: .after(10 * Self.second)))
    }

    /// Behind one address are the many clients of a proxy.
    @Test func proxyIsNotEvictedButEvictsOthers() {
        var connections = ConnectionsByAddress()
        _ = connections.refused(Self.b, at: 0)
        let all = Self.connections(Self.a, 50, countsForAddress: false) + Self.connections(Self.b, 2)
        let closedForB = connections.chooseIdle(among: all, at: 0)
        #expect(closedForB == [])
        #expect(!connections.isCrowded(Self.a, at: 0))
        _ = connections.refused(Self.a, at: .after(Self.second))
        let closedForProxy = connections.chooseIdle(among: all, at: .after(Self.second))
        #expect(closedForProxy == [50])
    }

    /// Going through all connections takes time: a flood of new connections causes it ten times a second at most.
    @Test func evictionRunsOncePerTenthOfSecond() {
        var connections = ConnectionsByAddress()
        let tenth = Self.second / 10
        var times = 0
        for moment in stride(from: 0, to: 10 * tenth, by: 1_000_000) {
            guard connections.refused(Self.b, at: .after(moment)) else { continue }
            times += 1
            let again = connections.refused(Self.c, at: .after(moment))
            #expect(!again)
            _ = connections.chooseIdle(among: Self.connections(Self.a, 9), at: .after(moment))
        }
        #expect(times == 10)
    }

    /// Against the rules: only idle connections, of addresses that keep more than the refused one has
    /// then, and none while an address with more of them keeps its own.
    @Test func addressWithMoreConnectionsLosesFirst() {
        var random = SplitMix64(seed: 31)
        var closedAltogether = 0
        for _ in 0..<2000 {
            let all = (0..<random.below(120)).map { _ in
                ConnectionsByAddress.Connection(
                    address: Self.name(UInt8(random.below(2) * random.below(6))),
                    countsForAddress: random.below(8) > 0,
                    isIdle: random.below(4) > 0
                )
            }
            let refused = Self.name(UInt8(random.below(8)))
            var connections = ConnectionsByAddress()
            _ = connections.refused(refused, at: 0)
            let closed = Set(connections.chooseIdle(among: all, at: 0))
            let counts = { (isCounted: (Int) -> Bool) in
                Dictionary(grouping: all.indices.filter(isCounted)) { all[$0].address }.mapValues(\.count)
            }
            let (before, after) = (
                counts { all[$0].countsForAddress }, counts { all[$0].countsForAddress && !closed.contains($0) }
            )
            let least = before[refused] ?? 0
            for place in closed {
                #expect(all[place].isIdle && all[place].countsForAddress)
                let address = all[place].address
                #expect(after[address] ?? 0 >= least + 1)
                for (other, count) in after where count > (after[address] ?? 0) + 1 {
                    let isAnyIdle = all.indices.contains {
                        all[$0].address == other && all[$0].isIdle && all[$0].countsForAddress && !closed.contains($0)
                    }
                    #expect(!isAnyIdle)
                }
            }
            closedAltogether += closed.count
        }
        #expect(closedAltogether > 1000)
    }
}
