import TestSupport
import Testing

@testable import HTTPCore

/// What holds for every body, however it is cut.
struct BodyPropertyTests {
    private struct Coded {
        var bytes: [UInt8] = []
        var body: [UInt8] = []
        var trailers: [UInt8] = []
    }

    private static let extensions = ["", "", ";a", ";a=b", ";a=\"q;\\\"\\\\ \t\"", ";;", "; x = y", " ;a", "\t ; b"]

    private func coded(_ random: inout SplitMix64) -> Coded {
        var coded = Coded()
        for _ in 0..<random.below(6) {
            let chunk = (0..<random.within(1...40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            coded.body += chunk
            let zeros = String(repeating: "0", count: random.below(3))
            let size = String(chunk.count, radix: 16, uppercase: random.oneIn(2))
            coded.bytes += Array("\(zeros)\(size)\(random.pick(Self.extensions))\r\n".utf8) + chunk + [0x0d, 0x0a]
        }
        coded.bytes += Array("\(random.pick(["0", "000"]))\(random.pick(Self.extensions))\r\n".utf8)
        for number in 0..<random.below(3) { coded.trailers += Array("T\(number): \(random.below(1000))\r\n".utf8) }
        coded.bytes += coded.trailers + [0x0d, 0x0a]
        return coded
    }

    @Test func chunkedBodyDoesNotDependOnPieces() {
        var random = SplitMix64(seed: 10)
        for _ in 0..<1000 {
            let coded = coded(&random)
            let expected = BodyReading(
                body: coded.body,
                trailers: coded.trailers,
                end: .complete,
                used: coded.bytes.count
            )
            let input = coded.bytes + Array("GET / HTTP/1.1\r\n".utf8)
            #expect(BodyReading.read([input]) == expected)
            #expect(BodyReading.byteByByte(input) == expected)
            #expect(BodyReading.read(random.pieces(input, longest: 9)) == expected)
        }
    }

    @Test func mutatedChunkedBodyDoesNotDependOnPieces() {
        var random = SplitMix64(seed: 11)
        var ends: [BodyReading.End] = []
        for _ in 0..<20_000 {
            let good = coded(&random).bytes
            let input = random.mutated(good) + Array("\r\nX".utf8)
            let atOnce = BodyReading.read([input])
            ends.append(atOnce.end)
            guard BodyReading.byteByByte(input) == atOnce, BodyReading.read(random.pieces(input, longest: 7)) == atOnce
            else {
                Issue.record("\(input) is read in several ways")
                return
            }
        }
        #expect(ends.contains(.complete))
        #expect(ends.contains(.wantsMore))
    }

    @Test func randomBytesDoNotDependOnPieces() {
        var random = SplitMix64(seed: 12)
        let alphabet = Array("01aF;\"\\\r\n\r\n\r\n: x".utf8)
        for _ in 0..<20_000 {
            let input = random.bytes(random.below(30), of: alphabet)
            #expect(BodyReading.byteByByte(input) == BodyReading.read([input]))
        }
    }

    @Test func contentLengthBodyEndsAfterItsBytes() {
        var random = SplitMix64(seed: 13)
        for _ in 0..<500 {
            let length = random.below(60)
            let input = (0..<random.below(90)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let isWhole = input.count >= length
            let expected = BodyReading(
                body: Array(input.prefix(length)),
                trailers: [],
                end: isWhole ? .complete : .wantsMore,
                used: min(length, input.count)
            )
            // What ends with its last byte ends without another: an empty piece shows it.
            #expect(BodyReading.read(random.pieces(input, longest: 8) + [[]], .length(length)) == expected)
            #expect(BodyReading.read([input, []], .length(length)) == expected)
        }
    }

    @Test func emptyBodyEndsAtOnce() {
        for framing in [RequestFraming.none, .length(0)] {
            #expect(BodyReading.read([Array("next".utf8)], framing) == BodyReading(end: .complete))
            #expect(BodyReading.read([[]], framing) == BodyReading(end: .complete))
        }
    }

    @Test func closeDelimitedBodyEndsOnlyByClose() {
        let decoder = BodyDecoder(ResponseFraming.untilClose)
        let reading = BodyReading.read([Array("abc".utf8), Array("0\r\n\r\n".utf8)], decoder)
        #expect(reading == BodyReading(body: Array("abc0\r\n\r\n".utf8), end: .wantsMore, used: 8))
    }

    @Test func onlyCloseDelimitedBodiesMayEndByClose() {
        #expect(BodyDecoder(ResponseFraming.untilClose).mayEndByClose)
        for framing in [ResponseFraming.none, .length(3), .chunked] {
            #expect(!BodyDecoder(framing).mayEndByClose)
        }
        for framing in [RequestFraming.none, .length(3), .chunked] {
            #expect(!BodyDecoder(framing).mayEndByClose)
        }
    }

    @Test func chunkedDecoderKeepsStateBetweenPieces() {
        var decoder = BodyDecoder(ResponseFraming.chunked)
        let piece = Array("5\r\nhe".utf8)
        var position = 0
        let event = decoder.next(piece.span, from: &position)
        #expect(event == .data(3..<5))
        #expect(!decoder.mayEndByClose)
    }
}
