import Testing

@testable import Store

@Suite struct RedisWitnessTests {
    private func id(_ number: UInt64) -> RedisStreamID { RedisStreamID(milliseconds: number, sequence: 0) }

    @Test func theLatestThatWasSeenStays() {
        var witness = RedisWitness()
        #expect(witness.latest == .zero)
        witness.saw(id(5))
        witness.saw(id(3))
        #expect(witness.latest == id(5))
    }

    @Test func aLoadTakesTheStreamAsItIs() {
        var witness = RedisWitness()
        witness.saw(id(9))
        witness.loadBegan()
        witness.loaded(id(2))
        #expect(witness.latest == id(2))
        witness.saw(id(3))
        #expect(witness.latest == id(3))
    }

    @Test func whatIsAcknowledgedDuringALoadCountsAfterIt() {
        var witness = RedisWitness()
        witness.saw(id(9))
        witness.loadBegan()
        witness.saw(id(4))
        // Another load that begins meanwhile forgets nothing of that.
        witness.loadBegan()
        witness.loaded(id(2))
        #expect(witness.latest == id(4))
    }

    @Test func aProofHoldsForItsPlaceAndConnection() throws {
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
