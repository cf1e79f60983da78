import TestSupport
import Testing

@testable import Upstream

@Suite struct ProbePacingTests {
    private static let second: UInt64 = 1_000_000_000

    /// Begins probes that are all due at the same moment. Returns when each may begin.
    private static func begin(_ count: Int, _ pacing: inout ProbePacing, at now: UInt64, cost: UInt64 = 1) -> [UInt64] {
        (0..<count).map { _ in pacing.turn(at: now, cost: cost) }
    }

    @Test func fewServersAreProbedAtOnce() {
        var pacing = ProbePacing(loops: 1)
        let now = 100 * Self.second
        let begun = Self.begin(Int(ProbePacing.mostAtOnce), &pacing, at: now)
        #expect(begun.allSatisfy { $0 == now })
        // A second later they may be again.
        let again = Self.begin(Int(ProbePacing.mostAtOnce), &pacing, at: now + Self.second)
        #expect(again.allSatisfy { $0 == now + Self.second })
    }

    /// All loops together stay within the bound.
    @Test(arguments: [1, 2, 8, 64]) func manyServersAreProbedWithinTheBound(_ loops: Int) {
        let now = 100 * Self.second
        var begun: [UInt64] = []
        for _ in 0..<loops {
            var pacing = ProbePacing(loops: loops)
            begun += Self.begin(10_000 / loops, &pacing, at: now)
        }
        begun.sort()
        #expect(begun.first == now)
        let perSecond = Dictionary(grouping: begun) { ($0 - now) / Self.second }.mapValues(\.count)
        let most = Int(ProbePacing.mostPerSecond) + max(Int(ProbePacing.mostAtOnce), loops)
        #expect(perSecond.values.allSatisfy { $0 <= most }, "\(perSecond)")
        #expect(perSecond.keys.max() ?? 0 <= 10_000 / ProbePacing.mostPerSecond, "and no slower than that")
    }

    @Test func probeWithTLSTakesSeveralTurns() {
        var pacing = ProbePacing(loops: 1)
        let begun = Self.begin(1000, &pacing, at: Self.second, cost: ProbePacing.costOfTLS)
        let last = begun.last ?? 0
        #expect(last > Self.second * (999 * ProbePacing.costOfTLS - ProbePacing.mostAtOnce) / ProbePacing.mostPerSecond)
    }

    @Test func firstProbesOfManyServersAreSpreadOverTheInterval() {
        let interval = 5 * Self.second
        var random = SplitMix64(seed: 5)
        let delays = (0..<1000).map { _ in ProbePacing.firstDelay(interval, count: 1000, random: random.next()) }
        for quarter in 0..<UInt64(4) {
            let range = quarter * interval / 4..<(quarter + 1) * interval / 4
            #expect((200...300).contains(delays.count(where: range.contains)))
        }
        #expect(ProbePacing.firstDelay(interval, count: Int(ProbePacing.mostAtOnce), random: .max) == 0)
    }
}
