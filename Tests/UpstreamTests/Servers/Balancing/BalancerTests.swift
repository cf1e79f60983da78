import Authorization
import Tenants
import TestSupport
import Testing
import Time

@testable import Upstream

private let methods: [BalanceMethod] = [.roundRobin, .leastRequests, .hash]

struct BalancerTests {
    // MARK: Round robin

    @Test func attemptEndsOnce() throws {
        var balancer = Balancer(weights: [1], method: .roundRobin)
        let chosen = balancer.choose(key: 0, random: 0, at: 0)
        let server = try #require(chosen)
        let ended = [balancer.ended(server), balancer.ended(server)]
        #expect(ended == [true, false])
    }

    @Test func equalServersTakeTurns() {
        var balancer = Balancer(weights: [1, 1, 1], method: .roundRobin)
        let taken = (0..<30).compactMap { _ in balancer.choose(key: 0, random: 0, at: 0) }
        #expect(Set(taken.prefix(3)) == [0, 1, 2])
        #expect(taken == (0..<10).flatMap { _ in taken.prefix(3) })
    }

    @Test func turnsFollowWeightsEvenly() {
        let weights = [5, 1, 3, 1]
        for seed: UInt64 in 1...50 {
            var balancer = Balancer(weights: weights, method: .roundRobin, random: seed)
            var counts = [0, 0, 0, 0]
            for turn in 1...200 {
                guard let server = balancer.choose(key: 0, random: 0, at: 0) else { continue }
                counts[server] += 1
                for (count, weight) in zip(counts, weights) {
                    let due = Double(turn * weight) / 10
                    #expect(abs(Double(count) - due) < 2, "seed \(seed), turn \(turn): \(counts)")
                }
            }
            #expect(zip(counts, weights).allSatisfy { abs($0 - 20 * $1) <= 1 })
        }
    }

    @Test func loopsStartWithDifferentServers() {
        let firsts = (1...1000).compactMap { (seed: UInt64) -> ServerIndex? in
            var balancer = Balancer(weights: [1, 1, 1, 1], method: .roundRobin, random: seed)
            return balancer.choose(key: 0, random: 0, at: 0)
        }
        #expect(areDrawn((0..<4).map { (server: ServerIndex) in firsts.count { $0 == server } }, by: [1, 1, 1, 1]))
    }

    // MARK: Least requests

    @Test func idleServersAreDrawnByWeight() {
        var balancer = Balancer(weights: [5, 3, 1, 1], method: .leastRequests)
        #expect(areDrawn(balancer.spread(50_000), by: [5, 3, 1, 1]))
    }

    @Test func lessBusyOfTwoIsChosen() {
        var balancer = Balancer(weights: [1, 1], method: .leastRequests)
        balancer.probed(1, isUp: false, at: 0)
        for _ in 0..<10 { _ = balancer.choose(key: 0, random: 0, at: 0) }
        balancer.probed(1, isUp: true, at: 0)
        #expect(balancer.outstanding(of: 0) == 10)
        #expect(balancer.spread(1000, at: seconds(30)) == [0, 1000])
    }

    @Test func busiestServerLosesEveryDraw() {
        var balancer = Balancer(weights: [1, 1, 1, 1, 1], method: .leastRequests)
        for server: ServerIndex in 1...4 { balancer.probed(server, isUp: false, at: 0) }
        _ = balancer.choose(key: 0, random: 0, at: 0)
        for server: ServerIndex in 1...4 { balancer.probed(server, isUp: true, at: 0) }
        let counts = balancer.spread(10_000, at: seconds(30))
        #expect(counts[0] == 0 && counts.dropFirst().allSatisfy { $0 > 2000 })
    }

    @Test func longRequestsFillServersByWeight() {
        var balancer = Balancer(weights: [6, 3, 2, 1], method: .leastRequests)
        var random = SplitMix64(seed: 5)
        for _ in 0..<12_000 { _ = balancer.choose(key: 0, random: random.next(), at: 0) }
        for (server, weight) in [6, 3, 2, 1].enumerated() {
            #expect(
                abs(balancer.outstanding(of: ServerIndex(server)) - 1000 * weight) < 40 * weight,
                "server \(server)"
            )
        }
    }

    // MARK: Hash

    private func homes(_ balancer: inout Balancer, keys: Int, at now: MonotonicTime = 0) -> [ServerIndex?] {
        (0..<keys).map { key in
            let server = balancer.choose(key: UInt64(key), random: 0, at: now)
            if let server {
                let isOver = balancer.ended(server)
                #expect(isOver)
            }
            return server
        }
    }

    @Test func keysAreSpreadByWeightAndStable() {
        var balancer = Balancer(weights: [1, 2, 10, 3], method: .hash)
        let first = homes(&balancer, keys: 20_000)
        #expect(areDrawn((0..<4).map { (server: ServerIndex) in first.count { $0 == server } }, by: [1, 2, 10, 3]))
        #expect(homes(&balancer, keys: 20_000) == first)
        var another = Balancer(weights: [1, 2, 10, 3], method: .hash, random: 99)
        #expect(homes(&another, keys: 20_000) == first, "all loops agree")
    }

    @Test func onlyKeysOfRemovedServerMove() {
        var balancer = Balancer(weights: [1, 2, 3, 4], method: .hash)
        let before = homes(&balancer, keys: 20_000)
        balancer.probed(2, isUp: false, at: 0)
        let without = homes(&balancer, keys: 20_000)
        var moved = [0, 0, 0, 0]
        for (old, new) in zip(before, without) {
            guard let new else { continue }
            if old == 2 { moved[new] += 1 } else { #expect(old == new) }
        }
        #expect(moved[2] == 0 && areDrawn([moved[0], moved[1], moved[3]], by: [1, 2, 4]))
        balancer.probed(2, isUp: true, at: 0)
        #expect(homes(&balancer, keys: 20_000, at: seconds(30)) == before)
    }

    @Test func returningServerTakesOnlyItsKeys() {
        var balancer = Balancer(weights: [1, 1, 1], method: .hash)
        balancer.probed(1, isUp: false, at: 0)
        var last = homes(&balancer, keys: 10_000)
        balancer.probed(1, isUp: true, at: 0)
        for second in 0...30 {
            let now = homes(&balancer, keys: 10_000, at: seconds(Double(second)))
            #expect(zip(last, now).allSatisfy { $0 == $1 || $1 == 1 }, "after \(second) s")
            last = now
        }
        #expect(areDrawn((0..<3).map { (server: ServerIndex) in last.count { $0 == server } }, by: [1, 1, 1]))
    }

    @Test func changedListKeepsKeysOfRemainingServers() {
        let servers = (0..<6).map { (weight: $0 + 1, identity: StableHash.of("server \($0)".utf8)) }
        var all = Balancer(servers, method: .hash, random: 0)
        var fewer = Balancer([servers[5], servers[0], servers[3]], method: .hash, random: 0)
        for (old, new) in zip(homes(&all, keys: 5000), homes(&fewer, keys: 5000)) {
            switch old {
            case 5: #expect(new == 0)
            case 0: #expect(new == 1)
            case 3: #expect(new == 2)
            default: #expect(new != nil)
            }
        }
    }

    @Test func triedServerIsFollowedByNextOfKey() {
        let fresh = Balancer(weights: [1, 1, 1, 1], method: .hash)
        for key: UInt64 in 0..<100 {
            var balancer = fresh
            var tried: [ServerIndex] = []
            while let server = balancer.choose(butNot: tried, key: key, random: 0, at: 0) { tried.append(server) }
            #expect(Set(tried) == [0, 1, 2, 3])
            balancer.probed(tried[0], isUp: false, at: 0)
            #expect(balancer.choose(key: key, random: 0, at: 0) == tried[1])
        }
    }

    @Test func hashesAreStable() {
        // FNV-1a of "foobar" is 85944171f73967e8, by its authors' table.
        #expect(StableHash.of("foobar".utf8) == StableHash.mixed(0x8594_4171_f739_67e8))
        #expect(StableHash.of([]) == StableHash.mixed(0xcbf2_9ce4_8422_2325))
        // The first numbers that SplitMix64 makes of the seed 0.
        #expect(StableHash.mixed(0) == 0xe220_a839_7b1d_cdaf)
    }

    // MARK: All methods

    @Test(arguments: methods) func emptyListGivesNoServer(_ method: BalanceMethod) {
        var none = Balancer(weights: [], method: method)
        #expect(none.choose(key: 1, random: 2, at: 3) == nil)
        for count in 1...3 {
            var balancer = Balancer(weights: [Int](repeating: 1, count: count), method: method)
            #expect(balancer.choose(butNot: Array(balancer.servers), key: 1, random: 2, at: 3) == nil)
            for server in balancer.servers { balancer.probed(server, isUp: false, at: 3) }
            #expect(balancer.choose(key: 1, random: 2, at: 3) == nil)
            #expect(balancer.servers.allSatisfy { balancer.outstanding(of: $0) == 0 })
        }
    }

    @Test(arguments: methods) func ejectedServerIsSkipped(_ method: BalanceMethod) {
        var balancer = Balancer(weights: [1, 5], method: method)
        balancer.eject(1, at: 0)
        #expect(balancer.spread(1000, at: 1) == [1000, 0])
    }

    @Test(arguments: methods) func ejectedServersServeAsLastResort(_ method: BalanceMethod) {
        var balancer = Balancer(weights: [1, 1, 1], method: method)
        for server in balancer.servers { balancer.eject(server, at: 0) }
        #expect(areDrawn(balancer.spread(3000, at: 1), by: [1, 1, 1]))
        balancer.probed(1, isUp: false, at: 1)
        #expect(balancer.spread(1000, at: 1)[1] == 0)
    }

    @Test(arguments: methods) func lastResortUsesEveryServer(_ method: BalanceMethod) {
        var balancer = Balancer(weights: [1, 1], method: method)
        balancer.eject(0, at: 0)
        balancer.eject(1, at: seconds(30))
        #expect(balancer.choose(key: 0, random: 0, at: seconds(35)) == 0, "its trial")
        let isOver = balancer.ended(0)
        #expect(isOver)
        #expect(areDrawn(balancer.spread(2000, at: seconds(35)), by: [1, 1]))
    }

    @Test(arguments: methods) func hangingServersAreTriedOncePerSecond(_ method: BalanceMethod) {
        for count in 1...3 {
            var balancer = Balancer(weights: [Int](repeating: 1, count: count), method: method)
            for server in balancer.servers { balancer.eject(server, .connectTimedOut, at: 0) }
            #expect(balancer.spread(1000, at: 1) == [Int](repeating: 1, count: count))
            #expect(balancer.spread(1000, at: seconds(0.9)).allSatisfy { $0 == 0 })
            #expect(balancer.spread(1000, at: seconds(1.1)) == [Int](repeating: 1, count: count))
            balancer.answered(0, begunAt: seconds(1.1), at: seconds(1.2))
            #expect(balancer.spread(1000, at: seconds(1.2))[0] == 1000)
        }
    }

    @Test(arguments: methods) func returningServerGetsGrowingShare(_ method: BalanceMethod) {
        var last = 0
        for (age, percent) in [(0.0, 10), (10, 40), (20, 70), (30, 100)] {
            var balancer = Balancer(weights: [1, 1, 1, 1], method: method)
            balancer.probed(2, isUp: false, at: 0)
            balancer.probed(2, isUp: true, at: 0)
            let counts = balancer.spread(20_000, at: seconds(age))
            // Least requests counts the share of the draws that it wins, with the same limit.
            let due = Double(20_000 * percent) / Double(300 + percent)
            let range = method == .leastRequests ? 0.7...1.4 : 0.9...1.1
            #expect(range.contains(Double(counts[2]) / due), "\(percent) %: \(counts)")
            #expect(counts[2] > last)
            last = counts[2]
        }
    }

    @Test(arguments: methods) func trialRequestIsSentDespiteLoad(_ method: BalanceMethod) {
        var balancer = Balancer(weights: [1, 1], method: method)
        balancer.eject(1, at: 0)
        var random = SplitMix64(seed: 8)
        for _ in 0..<50 { _ = balancer.choose(key: random.next(), random: random.next(), at: 0) }
        let counts = balancer.spread(1000, at: seconds(10))
        #expect(counts == [999, 1], "its trial, and no more before the answer")
    }
}
