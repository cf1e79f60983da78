import Testing

@testable import Store

@Suite struct RedisWitnessTests {
    private func id(_ number: UInt64) -> RedisStreamID { RedisStreamID(milliseconds: number, sequence: 0) }

    @Test func latestChangeOfEachConnectionIsRequired() {
        var witness = RedisWitness()
        #expect(witness.unread.isEmpty)
        witness.saw(id(5), on: 1)
        witness.saw(id(3), on: 1)
        witness.saw(id(4), on: 2)
        witness.saw(id(1), on: nil)
        witness.saw(id(2), on: nil)
        #expect(witness.unread == [id(5), id(4), id(1), id(2)])
    }

    @Test func readChangesAreNotRequiredAgain() {
        var witness = RedisWitness()
        witness.saw(id(5), on: 1)
        witness.saw(id(7), on: 2)
        witness.read(upTo: id(6), having: [id(5), id(7)])
        #expect(witness.unread == [id(7)])
        // It was acknowledged while the stream was read, by another server that gave it an earlier ID.
        witness.saw(id(4), on: 3)
        witness.read(upTo: id(9), having: [id(7)])
        #expect(witness.unread == [id(4)])
    }

    @Test func loadAcceptsThePresentStream() {
        var witness = RedisWitness()
        witness.saw(id(9), on: 1)
        witness.loadBegan()
        #expect(witness.unread == [id(9)])
        witness.loaded()
        #expect(witness.unread.isEmpty)
        witness.saw(id(3), on: 1)
        #expect(witness.unread == [id(3)])
    }

    @Test func changeAcknowledgedDuringALoadCountsAfterIt() {
        var witness = RedisWitness()
        witness.saw(id(8), on: 1)
        witness.saw(id(9), on: 2)
        witness.loadBegan()
        witness.saw(id(4), on: 3)
        witness.saw(id(10), on: 2)
        // Another load that begins in the meantime loses nothing of that.
        witness.loadBegan()
        witness.loaded()
        #expect(witness.unread == [id(10), id(4)])
    }

    @Test func tooManyConnectionsNeedALoad() {
        var witness = RedisWitness()
        for number in 1...UInt64(RedisWitness.limit) { witness.saw(id(number), on: number) }
        #expect(!witness.needsLoad)
        witness.saw(id(1000), on: nil)
        #expect(witness.needsLoad)
        #expect(witness.unread.count == RedisWitness.limit)
        #expect(witness.unread.first == id(2) && witness.unread.last == id(1000))
        witness.loadBegan()
        #expect(!witness.needsLoad)
        witness.loaded()
        #expect(witness.unread.isEmpty)
    }

    @Test func proofHoldsForItsPositionAndConnection() throws {
        var witness = RedisWitness()
        let place = try #require(RedisPosition(StorePosition("1-0/2-0/5/")))
        let other = try #require(RedisPosition(StorePosition("1-0/3-0/5/")))
        #expect(!witness.isProved(place, 1))
        witness.proved(place, 1)
        #expect(witness.isProved(place, 1))
        #expect(!witness.isProved(place, 2))
        #expect(!witness.isProved(other, 1))
    }
}
