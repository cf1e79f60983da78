import Authorization
import TestSupport
import Testing
import Time

@testable import Tenants
@testable import Upstream

extension Balancer {
    /// Servers named 0, 1, 2, … with these weights.
    init(weights: [Int], method: BalanceMethod, random: UInt64 = 1) {
        let servers = weights.enumerated().map { place, weight in
            (weight: weight, identity: StableHash.of("http://10.0.0.\(place):80".utf8))
        }
        self.init(servers, method: method, random: random)
    }

    var servers: Range<ServerIndex> { 0..<ServerIndex(count) }

    /// How often each server is chosen for requests with an immediate response.
    mutating func spread(_ requests: Int, at now: MonotonicTime = 0, seed: UInt64 = 1) -> [Int] {
        var random = SplitMix64(seed: seed)
        var counts = [Int](repeating: 0, count: count)
        for _ in 0..<requests {
            guard let server = choose(key: random.next(), random: random.next(), at: now) else { continue }
            counts[server] += 1
            let isOver = ended(server)
            #expect(isOver)
        }
        return counts
    }

    /// Fails until the server is ejected.
    mutating func eject(_ server: ServerIndex, _ failure: ServerFailure = .reset, at now: MonotonicTime) {
        for _ in 0..<ServerHealth.failuresToEject {
            if failed(server, failure, begunAt: now, at: now) { return }
        }
    }
}

/// The counts are those of independent draws by these weights: none is further off than five standard deviations,
/// which chance does once in a million runs.
func areDrawn(_ counts: [Int], by weights: [Int]) -> Bool {
    let draws = Double(counts.reduce(0, +))
    let total = Double(weights.reduce(0, +))
    return zip(counts, weights).allSatisfy { count, weight in
        let part = Double(weight) / total
        return abs(Double(count) - draws * part) <= 5 * (draws * part * (1 - part)).squareRoot()
    }
}
