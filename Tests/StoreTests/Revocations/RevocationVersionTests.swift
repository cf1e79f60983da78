import TestSupport
import Testing
import Time

@testable import Store

@Suite struct RevocationVersionTests {
    @Test func versionsGrowEvenIfTheClockDoesNot() {
        let first = RevocationVersion.next(after: 0, now: 1_800_000_000)
        #expect(first == 1_800_000_000_000 << 20)
        #expect(RevocationVersion.next(after: first, now: 1_800_000_000) == first + 1)
        #expect(RevocationVersion.next(after: first, now: 1_700_000_000) == first + 1)
        #expect(RevocationVersion.next(after: first, now: 1_800_000_000.001) == first + 1 << 20)
    }

    @Test(arguments: [UnixTime(-1), .distantFuture, .distantPast, UnixTime(.nan), UnixTime(1e300)])
    func extremeClockDoesNotTrap(now: UnixTime) {
        #expect(RevocationVersion.next(after: 41, now: now) == 42)
    }

    @Test func aDigestComesBackFromItsText() {
        var generator = SplitMix64(seed: 5)
        for _ in 0..<500 {
            let digest = RevocationDigest(high: generator.next() >> (generator.next() % 64), low: generator.next())
            #expect(RevocationDigest(digest.text) == digest)
            #expect(RevocationDigest(digits: Array(digest.text.utf8).span) == digest)
        }
        let valid = RevocationDigest(high: 1, low: 2).text
        for text in ["", String(valid.dropLast()), valid + "0", "+" + valid.dropFirst(), "G" + valid.dropFirst()] {
            #expect(RevocationDigest(digits: Array(text.utf8).span) == nil)
        }
    }
}
