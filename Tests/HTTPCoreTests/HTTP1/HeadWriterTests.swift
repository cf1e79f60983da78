import NIOCore
import TestSupport
import Testing

@testable import HTTPCore

@Suite struct HeadWriterTests {
    private func written(about size: Int = 64, _ body: (inout HeadWriter) -> Void) -> String {
        var out = ByteBuffer()
        out.writeHead(about: size, body)
        return String(buffer: out)
    }

    @Test func hexHasSixteenDigits() {
        #expect(written { $0.writeHex(0) } == "0000000000000000")
        #expect(written { $0.writeHex(0x0123_4567_89ab_cdef) } == "0123456789abcdef")
        #expect(written { $0.writeHex(.max) } == "ffffffffffffffff")
        var random = SplitMix64(seed: 31)
        for _ in 0..<5000 {
            let word = random.next()
            let digits = String(word, radix: 16)
            #expect(written { $0.writeHex(word) } == String(repeating: "0", count: 16 - digits.count) + digits)
            let id = RequestID(high: word, low: random.next())
            #expect(written { $0.writeRequestID(id) } == id.text)
        }
    }

    @Test func decimalsMatchSwift() {
        var random = SplitMix64(seed: 32)
        let numbers =
            [0, 1, 9, 10, 99, 100, 65535, Int.max] + (0..<200).map { _ in random.below(1 << random.within(1...62)) }
        for number in numbers { #expect(written { $0.writeDecimal(number) } == String(number)) }
    }

    /// Whatever room there was thought to be, and whatever stood in the buffer before.
    @Test func piecesAreWrittenOnceInOrder() {
        var random = SplitMix64(seed: 33)
        for turn in 0..<2000 {
            let pieces = (0..<random.below(12)).map { _ in
                (0..<random.below(turn % 50 == 0 ? 5000 : 40)).map { _ in UInt8(random.below(256)) }
            }
            var out = ByteBuffer(bytes: Array(repeating: 0x2a, count: random.below(3)))
            var expected = Array(out.readableBytesView)
            out.writeHead(about: random.below(60)) { out in
                for (index, piece) in pieces.enumerated() {
                    if index % 2 == 0 { out.writeBytes(piece) } else { out.writeBytes(piece.span.bytes) }
                    out.writeStaticString("\r\n")
                    out.writeDecimal(index)
                    out.writeHex(UInt64(index))
                }
            }
            for (index, piece) in pieces.enumerated() {
                let digits = String(index, radix: 16)
                expected += piece + Array("\r\n\(index)".utf8)
                expected += Array((String(repeating: "0", count: 16 - digits.count) + digits).utf8)
            }
            if Array(out.readableBytesView) != expected { Issue.record("turn \(turn)") }
        }
    }
}
