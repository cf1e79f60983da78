import TestSupport
import Testing

@testable import Epoll

@Suite struct ConnectionSpreadTests {
    @Test func loopKeepsWhatItAcceptsWhileItHasAboutAsManyAsOthers() {
        #expect(ConnectionSpread.loop(for: 0, counts: [5]) == 0)
        #expect(ConnectionSpread.loop(for: 0, counts: [0, 0, 0]) == 0)
        #expect(ConnectionSpread.loop(for: 1, counts: [0, 1]) == 1)
        #expect(ConnectionSpread.loop(for: 1, counts: [9, 3, 7]) == 1)
    }

    @Test func loopWithTwoMoreHandsOverToTheOneWithFewest() {
        #expect(ConnectionSpread.loop(for: 1, counts: [0, 2]) == 0)
        #expect(ConnectionSpread.loop(for: 0, counts: [7, 6, 5, 6]) == 2)
    }

    @Test func nextAfterOwnLoopIsChosenAmongEquals() {
        #expect(ConnectionSpread.loop(for: 0, counts: [4, 1, 1, 1]) == 1)
        #expect(ConnectionSpread.loop(for: 2, counts: [1, 1, 4, 1]) == 3)
        #expect(ConnectionSpread.loop(for: 3, counts: [1, 1, 1, 4]) == 0)
    }

    @Test func surplusGrowsWithNumberOfConnections() {
        #expect([0, 31, 32, 320].map(ConnectionSpread.surplus) == [1, 1, 2, 11])
        #expect(ConnectionSpread.loop(for: 0, counts: [331, 320]) == 0)
        #expect(ConnectionSpread.loop(for: 0, counts: [332, 320]) == 1)
        // A connection is counted down by one thread while another counts: the sum is right, a moment's value may not be.
        #expect(ConnectionSpread.loop(for: 0, counts: [1, -1]) == 1)
    }

    /// Connections that a hash divides, as the kernel's, some of which end.
    @Test(arguments: [2, 3, 4, 16, 64]) func loopsDifferByLittleHoweverConnectionsAreDivided(loops: Int) {
        var random = SplitMix64(seed: UInt64(loops))
        var counts = [Int](repeating: 0, count: loops)
        var handedOver = 0
        for _ in 0..<10_000 {
            let accepting = Int.random(in: 0..<loops, using: &random)
            let serving = ConnectionSpread.loop(for: accepting, counts: counts)
            if serving != accepting { handedOver += 1 }
            counts[serving] += 1
            let fewest = counts.min() ?? 0
            #expect((counts.max() ?? 0) - fewest <= ConnectionSpread.surplus(over: fewest) + 1)
        }
        #expect(handedOver < 10_000 / 2)
        // All of one loop's end, as at the end of a client with many: the next ones fill it up.
        let most = counts.max() ?? 0
        counts[0] = 0
        for _ in 0..<most * loops {
            counts[ConnectionSpread.loop(for: Int.random(in: 0..<loops, using: &random), counts: counts)] += 1
        }
        #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= ConnectionSpread.surplus(over: counts.min() ?? 0) + 1)
    }
}
