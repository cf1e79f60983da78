import Testing

@testable import Redis

@Suite struct SentinelRoundTests {
    private static let addresses = (1...3).map { RedisAddress(host: "sentinel\($0).test") }

    @Test func eachSentinelIsQueriedOnceInARound() {
        var round = SentinelRound(Self.addresses)
        var asked: [RedisAddress] = []
        while let next = round.next() {
            asked.append(next)
            round.failed(refused: false)
        }
        #expect(asked == Self.addresses)
        round.begin()
        #expect(round.next() == Self.addresses[0])
    }

    @Test func roundBeginsWithTheLastRespondingSentinel() {
        var round = SentinelRound(Self.addresses)
        round.failed(refused: false)
        round.failed(refused: false)
        round.responded()
        #expect(round.next() == Self.addresses[2])
        round.failed(refused: false)
        #expect(round.next() == Self.addresses[0])
    }

    @Test func misleadingSentinelIsQueriedLast() {
        var round = SentinelRound(Self.addresses)
        round.responded()
        round.misled()
        #expect(round.next() == Self.addresses[1])
    }

    @Test func roundIsRefusedOnlyIfAllSentinelsRefuse() {
        var round = SentinelRound(Self.addresses)
        round.failed(refused: true)
        #expect(round.allRefused)
        round.failed(refused: false)
        round.failed(refused: true)
        #expect(!round.allRefused)
        round.begin()
        #expect(round.allRefused)
    }
}
