import Testing
import Time

@testable import Events

/// Lines about events that are lost.
@Suite struct LossLogTests {
    @Test func manyLossesAreOneLineWithTheirNumber() {
        var log = LossLog()
        let start = UnixTime(1_800_000_000)
        let lines = [
            log.add(1, "full", at: start), log.add(2, "full", at: start + 1), log.add(3, "slow", at: start + 1),
            log.add(4, "full", at: start + 9), log.add(5, "full", at: start + 10), log.add(6, "full", at: start + 11),
        ]
        #expect(lines == [1, nil, 3, nil, 11, nil])
    }
}
