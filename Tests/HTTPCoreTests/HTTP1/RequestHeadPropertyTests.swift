import TestSupport
import Testing

@testable import HTTPCore

/// What holds for every head, found with random ones.
struct RequestHeadPropertyTests {
    @Test func generatedHeadsRoundTrip() {
        var generator = RequestGenerator(seed: 1)
        let head = RequestHead()
        for _ in 0..<5000 {
            let (bytes, reading) = generator.next()
            let outcome = RequestOutcome.parse(bytes + Array("GET /next".utf8), into: head)
            guard outcome == .head(reading) else {
                Issue.record("\(String(decoding: bytes, as: UTF8.self)) parsed to \(outcome)")
                return
            }
        }
    }

    @Test func prefixOfValidHeadIsIncomplete() {
        var generator = RequestGenerator(seed: 2)
        for _ in 0..<300 {
            let (bytes, reading) = generator.next()
            let (outcome, count) = RequestOutcome.drip(bytes)
            #expect(outcome == .head(reading))
            #expect(count == bytes.count)
        }
    }

    @Test func invalidHeadsAreRefusedAlikeByteByByte() {
        for line in RequestHeadRefusalTests.badRequestLines {
            let bytes = Array("\(line)\r\nHost: a\r\n\r\n".utf8)
            #expect(RequestOutcome.drip(bytes).0 == RequestOutcome.parse(bytes), "\(line)")
        }
        for lines in RequestHeadRefusalTests.badFields {
            let bytes = Array("POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n".utf8)
            #expect(RequestOutcome.drip(bytes).0 == RequestOutcome.parse(bytes), "\(lines)")
        }
    }

    @Test func mutatedHeadsAreReadAlikeByteByByte() {
        var generator = RequestGenerator(seed: 3)
        for _ in 0..<600 {
            let good = generator.next().bytes
            let bytes = generator.random.mutated(good)
            let limit = generator.random.pick([32768, 40, 100])
            let whole = RequestOutcome.parse(bytes, maximumBytes: limit, maximumFields: 3)
            let (dripped, _) = RequestOutcome.drip(bytes, maximumBytes: limit, maximumFields: 3)
            guard dripped == whole else {
                Issue.record("\(String(decoding: bytes, as: UTF8.self)): \(dripped) dripped, \(whole) at once")
                return
            }
        }
    }

    /// 200,000 heads with injuries: none crashes, and what is still taken means the same when it is written cleanly.
    @Test(arguments: [4, 5])
    func acceptedMutationsRoundTripInCanonicalForm(seed: UInt64) {
        var generator = RequestGenerator(seed: seed)
        let head = RequestHead()
        var accepted = 0
        var base: [UInt8] = []
        for round in 0..<100_000 {
            if round % 10 == 0 { base = generator.next().bytes }
            guard let reading = RequestOutcome.parse(generator.random.mutated(base), into: head).reading else {
                continue
            }
            accepted += 1
            let canonical = reading.canonicalBytes
            var expected = reading
            expected.length = canonical.count
            guard reading.isClean, RequestOutcome.parse(canonical) == .head(expected) else {
                Issue.record("\(String(decoding: canonical, as: UTF8.self)) is not what was accepted")
                return
            }
        }
        #expect(accepted > 10_000, "mutations so harsh that next to nothing is accepted test little")
    }
}
