import Tenants
import TestSupport
import Testing
import Time

@testable import Upstream

/// Random events; the rules of the choice are checked after each.
struct BalancerPropertyTests {
    private struct Attempt {
        var server: ServerIndex
        var begunAt: MonotonicTime
    }

    private struct World {
        var balancer: Balancer
        var random: SplitMix64
        var now: MonotonicTime = 0
        var isUp: [Bool]
        var attempts: [Attempt] = []
        var chosen = 0
        var refused = 0

        init(_ method: BalanceMethod, seed: UInt64) {
            var random = SplitMix64(seed: seed)
            let weights = (0..<random.within(1...6)).map { _ in random.within(1...1000) }
            self.random = random
            balancer = Balancer(weights: weights, method: method, random: seed)
            isUp = weights.map { _ in true }
        }

        mutating func choose() -> String? {
            let tried = isUp.serverIndices.filter { _ in random.oneIn(4) }
            let open = isUp.serverIndices.filter { !tried.contains($0) }
            let before = open.map { balancer.health(of: $0) }
            let isSomeAvailable = before.contains { $0.isAvailable(at: now) }
            let isSomeLeft = before.contains { $0.isLastResort(at: now) }
            let chance = random.next()
            guard let server = balancer.choose(butNot: tried, key: random.next(), random: chance, at: now) else {
                refused += 1
                return isSomeAvailable || isSomeLeft ? "a request is refused though there is a server" : nil
            }
            chosen += 1
            attempts.append(Attempt(server: server, begunAt: now))
            guard isUp.serverIndices.contains(server), !tried.contains(server) else { return "\(server) was tried" }
            guard isUp[server] else { return "\(server) is down" }
            guard let place = open.firstIndex(of: server) else { return "\(server) is not open" }
            if isSomeAvailable && !before[place].isAvailable(at: now) { return "\(server) was not available" }
            if !before[place].isAvailable(at: now) && !before[place].isLastResort(at: now) { return "\(server) hangs" }
            return nil
        }

        /// One random event.
        mutating func step() -> String? {
            switch random.below(10) {
            case 0...3: return choose()
            case 4: now += UInt64(random.below(3_000_000_000))
            case 5:
                let server = ServerIndex(random.below(isUp.count))
                isUp[server] = random.oneIn(2)
                balancer.probed(server, isUp: isUp[server], at: now)
            default:
                guard !attempts.isEmpty else { return nil }
                let attempt = attempts.remove(at: random.below(attempts.count))
                if random.oneIn(4) {
                    balancer.answered(attempt.server, begunAt: attempt.begunAt, at: now)
                } else if random.oneIn(8) {
                    balancer.connected(attempt.server, begunAt: attempt.begunAt)
                } else {
                    let failure = random.pick([ServerFailure.connectFailed, .connectTimedOut, .reset, .silent])
                    balancer.failed(attempt.server, failure, begunAt: attempt.begunAt, at: now)
                }
                let isOver = balancer.ended(attempt.server)
                #expect(isOver)
            }
            return nil
        }

        var problem: String? {
            for server in isUp.serverIndices {
                let health = balancer.health(of: server)
                if balancer.outstanding(of: server) != attempts.count(where: { $0.server == server }) {
                    return "the outstanding attempts of \(server) are miscounted"
                }
                if health.isProbedUp != isUp[server] { return "\(server) is not as it was probed" }
                if !(102...1024).contains(health.share(at: now)) { return "\(health.share(at: now)) is no share" }
                if health.isEjected(at: now + ServerHealth.longestEjection) { return "\(server) is out for ever" }
            }
            return nil
        }
    }

    @Test(arguments: [BalanceMethod.roundRobin, .leastRequests, .hash])
    func chosenServerIsEligible(_ method: BalanceMethod) {
        var chosen = 0
        var refused = 0
        for seed: UInt64 in 1...150 {
            var world = World(method, seed: seed)
            for step in 0..<400 {
                if let problem = world.step() ?? world.problem {
                    Issue.record("seed \(seed), step \(step): \(problem)")
                    return
                }
            }
            chosen += world.chosen
            refused += world.refused
        }
        #expect(chosen > 1000 && refused > 1000)
    }

    /// Servers that are added, removed and skipped at random: the credit of each stays small, so that turns are fair
    /// at once afterwards.
    @Test func turnsAreFairAfterAnyHistory() {
        for seed: UInt64 in 1...40 {
            var random = SplitMix64(seed: seed)
            var balancer = Balancer(weights: [1, 2, 3, 4], method: .roundRobin, random: seed)
            for step: UInt64 in 0..<3000 {
                if random.oneIn(20) {
                    balancer.probed(ServerIndex(random.below(4)), isUp: random.oneIn(2), at: .after(step << 28))
                }
                let tried = balancer.servers.filter { _ in random.oneIn(3) }
                if let server = balancer.choose(butNot: tried, key: 0, random: 0, at: .after(step << 28)) {
                    let isOver = balancer.ended(server)
                    #expect(isOver)
                }
            }
            for server in balancer.servers { balancer.probed(server, isUp: true, at: .after(3000 << 28)) }
            let counts = balancer.spread(1000, at: .after(4000 << 28))
            #expect(zip(counts, [100, 200, 300, 400]).allSatisfy { abs($0 - $1) <= 12 }, "seed \(seed): \(counts)")
        }
    }
}
