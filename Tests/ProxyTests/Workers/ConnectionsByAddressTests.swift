import TestSupport
import Testing
import Time

@testable import Authorization
@testable import Proxy

/// Whose connections make room for those of others.
struct ConnectionsByAddressTests {
    private static let second: UInt64 = 1_000_000_000
    private static let (a, b, c) = (name(1), name(2), name(3))

    private static func name(_ byte: UInt8) -> SubjectName { SubjectName(short: [byte]) }

    private static func connections(
        _ address: SubjectName,
        _ count: Int,
        takesRoom: Bool = true,
        isIdle: Bool = true
    ) -> [ConnectionsByAddress.Connection] {
        let connection = ConnectionsByAddress.Connection(address: address, takesRoom: takesRoom, isIdle: isIdle)
        return Array(repeating: connection, count: count)
    }

    @Test func addressesWithMostConnectionsAreEvictedFirst() {
        var crowd = ConnectionsByAddress()
        let isDue = crowd.turnedAway(Self.c, at: .after(Self.second))
        #expect(isDue)
        let all = Self.connections(Self.a, 100) + Self.connections(Self.b, 90) + Self.connections(Self.c, 2)
        // A sixteenth of them is 12.
        let closed = crowd.makeRoom(among: all, at: .after(Self.second)).map { all[$0].address }
        #expect(closed.filter { $0 == Self.a }.count == 11)
        #expect(closed.filter { $0 == Self.b }.count == 1)
    }

    @Test func connectionWithRequestIsNotEvicted() {
        var crowd = ConnectionsByAddress()
        _ = crowd.turnedAway(Self.b, at: 0)
        let all = Self.connections(Self.a, 50, isIdle: false) + Self.connections(Self.a, 2)
        let closed = crowd.makeRoom(among: all, at: 0)
        #expect(closed == [50, 51])
    }

    @Test func addressCannotEvictForItself() {
        var crowd = ConnectionsByAddress()
        _ = crowd.turnedAway(Self.a, at: 0)
        let closed = crowd.makeRoom(among: Self.connections(Self.a, 50) + Self.connections(Self.b, 49), at: 0)
        #expect(closed == [])
    }

    @Test func evictedAddressComesLastForAWhile() {
        var crowd = ConnectionsByAddress()
        _ = crowd.turnedAway(Self.b, at: 0)
        _ = crowd.makeRoom(among: Self.connections(Self.a, 50), at: 0)
        #expect(crowd.isCrowded(Self.a, at: .after(9 * Self.second)))
        #expect(!crowd.isCrowded(Self.b, at: .after(9 * Self.second)))
        #expect(!crowd.isCrowded(Self.a, at: .after(10 * Self.second)))
    }

    @Test func evictedAddressesAreRemembered() {
        var crowd = ConnectionsByAddress()
        for (moment, address) in [Self.a, Self.b].enumerated() {
            _ = crowd.turnedAway(Self.c, at: .after(UInt64(moment) * Self.second))
            _ = crowd.makeRoom(among: Self.connections(address, 50), at: .after(UInt64(moment) * Self.second))
        }
        #expect(crowd.isCrowded(Self.a, at: .after(9 * Self.second)))
        #expect(crowd.isCrowded(Self.b, at: .after(10 * Self.second)))
        #expect(!crowd.isCrowded(Self.a, at: .after(10 * Self.second)))
    }

    /// Behind one address are the many clients of a proxy.
    @Test func proxyIsNotEvictedButEvictsOthers() {
        var crowd = ConnectionsByAddress()
        _ = crowd.turnedAway(Self.b, at: 0)
        let all = Self.connections(Self.a, 50, takesRoom: false) + Self.connections(Self.b, 2)
        let closedForB = crowd.makeRoom(among: all, at: 0)
        #expect(closedForB == [])
        #expect(!crowd.isCrowded(Self.a, at: 0))
        _ = crowd.turnedAway(Self.a, at: .after(Self.second))
        let closedForProxy = crowd.makeRoom(among: all, at: .after(Self.second))
        #expect(closedForProxy == [50])
    }

    /// To look through all connections takes time: a flood of newcomers has it done ten times a second.
    @Test func evictionRunsOncePerTenthOfSecond() {
        var crowd = ConnectionsByAddress()
        let tenth = Self.second / 10
        var times = 0
        for moment in stride(from: 0, to: 10 * tenth, by: 1_000_000) {
            guard crowd.turnedAway(Self.b, at: .after(moment)) else { continue }
            times += 1
            let again = crowd.turnedAway(Self.c, at: .after(moment))
            #expect(!again)
            _ = crowd.makeRoom(among: Self.connections(Self.a, 9), at: .after(moment))
        }
        #expect(times == 10)
    }

    /// Against what may be closed at all: only idle connections, of addresses that are left more than a newcomer has
    /// then, and none while an address with more of them keeps its own.
    @Test func addressWithMoreConnectionsLosesFirst() {
        var random = SplitMix64(seed: 31)
        var closedAltogether = 0
        for _ in 0..<2000 {
            let all = (0..<random.below(120)).map { _ in
                ConnectionsByAddress.Connection(
                    address: Self.name(UInt8(random.below(2) * random.below(6))),
                    takesRoom: random.below(8) > 0,
                    isIdle: random.below(4) > 0
                )
            }
            let newcomer = Self.name(UInt8(random.below(8)))
            var crowd = ConnectionsByAddress()
            _ = crowd.turnedAway(newcomer, at: 0)
            let closed = Set(crowd.makeRoom(among: all, at: 0))
            let counts = { (isCounted: (Int) -> Bool) in
                Dictionary(grouping: all.indices.filter(isCounted)) { all[$0].address }.mapValues(\.count)
            }
            let (before, after) = (counts { all[$0].takesRoom }, counts { all[$0].takesRoom && !closed.contains($0) })
            let least = before[newcomer] ?? 0
            for place in closed {
                #expect(all[place].isIdle && all[place].takesRoom)
                let address = all[place].address
                #expect(after[address] ?? 0 >= least + 1)
                for (other, count) in after where count > (after[address] ?? 0) + 1 {
                    let isAnyIdle = all.indices.contains {
                        all[$0].address == other && all[$0].isIdle && all[$0].takesRoom && !closed.contains($0)
                    }
                    #expect(!isAnyIdle)
                }
            }
            closedAltogether += closed.count
        }
        #expect(closedAltogether > 1000)
    }
}
