import Store
import TestSupport
import Testing
import Time

@testable import SharedState

/// The table of revocations against a plain dictionary.
struct RevocationTableTests {
    private func digest(_ number: Int) -> RevocationDigest { RevocationDigest(.subject("user \(number)")) }

    @Test func onlyInsertedDigestsAreFound() {
        var random = SplitMix64(seed: 0x7ab1e)
        var table = RevocationTable()
        var model: [RevocationDigest: RevocationEntry] = [:]
        for version in 1...20_000 {
            let digest = digest(random.below(6000))
            let entry = RevocationEntry(
                isWithdrawn: random.oneIn(5),
                revokedAt: UnixTime(Double(random.below(1000))),
                expiresAt: random.oneIn(3) ? .distantFuture : UnixTime(Double(random.below(100_000))),
                // Sometimes an older entry arrives late.
                version: UInt64(random.oneIn(4) ? random.below(version) + 1 : version)
            )
            let isLater = entry.version > model[digest]?.version ?? 0
            let isTaken = table.insert(entry, for: digest)
            #expect(isTaken == isLater)
            if isLater { model[digest] = entry }
        }
        #expect(table.count == model.count)
        for number in 0..<7000 { #expect(table[digest(number)] == model[digest(number)]) }
        var seen = 0
        table.forEach { digest, entry in
            seen += 1
            #expect(model[digest] == entry)
        }
        #expect(seen == model.count)
    }

    @Test func collidingDigestsAreDistinct() {
        var table = RevocationTable()
        let entries = (1...12).map { number in
            (
                RevocationDigest(high: UInt64(number), low: 0),
                RevocationEntry(revokedAt: UnixTime(Double(number)), expiresAt: .distantFuture, version: 1)
            )
        }
        for (digest, entry) in entries { table.insert(entry, for: digest) }
        for (digest, entry) in entries { #expect(table[digest] == entry) }
        #expect(table[RevocationDigest(high: 13, low: 0)] == nil)
        #expect(table[RevocationDigest(high: 1, low: 16)] == nil)
    }

    @Test func entryOutlivesItsExpiryByLessThanASecondAndNeverEndsEarly() {
        let entry = RevocationEntry(revokedAt: 0, expiresAt: 100.25, version: 1)
        #expect(entry.isInForce(at: 100.25))
        #expect(entry.isInForce(at: 100.9))
        #expect(!entry.isInForce(at: 101))
        #expect(RevocationEntry(revokedAt: 0, expiresAt: .distantFuture, version: 1).isInForce(at: 1e12))
        #expect(!RevocationEntry(isWithdrawn: true, revokedAt: 0, expiresAt: 100, version: 1).isInForce(at: 1))
        #expect(RevocationEntry(revokedAt: 0, expiresAt: 1e300, version: 1).isInForce(at: 1e12))
        #expect(!RevocationEntry(revokedAt: 0, expiresAt: -5, version: 1).isInForce(at: 1))
    }

    @Test func millionEntriesTakeNoMoreThanEightyMebibytes() {
        let table = RevocationTable(capacity: 1_000_000)
        #expect(table.byteCount <= 80 << 20)
    }
}
