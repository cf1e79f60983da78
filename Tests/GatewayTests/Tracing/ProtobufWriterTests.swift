import TestSupport
import Testing

@testable import Gateway

/// The examples of protobuf.dev, "Encoding", and OTLP's own forms.
struct ProtobufWriterTests {
    private func written(_ write: (inout ProtobufWriter) -> Void) -> [UInt8] {
        var writer = ProtobufWriter()
        write(&writer)
        return writer.bytes
    }

    @Test func numbersAreVarints() {
        #expect(written { $0.number(1, 150) } == [0x08, 0x96, 0x01])
        #expect(written { $0.number(1, 0) } == [0x08, 0x00])
        #expect(written { $0.number(16, 127) } == [0x80, 0x01, 0x7f])
        #expect(written { $0.number(1, .max) } == [0x08] + Array(repeating: 0xff, count: 9) + [0x01])
    }

    @Test func textsAndMessagesHaveTheirLength() {
        #expect(written { $0.text(2, "testing") } == [0x12, 0x07] + Array("testing".utf8))
        #expect(written { $0.message(3) { $0.number(1, 150) } } == [0x1a, 0x03, 0x08, 0x96, 0x01])
        #expect(written { $0.text(1, String(repeating: "a", count: 200)) }.prefix(3) == [0x0a, 0xc8, 0x01])
    }

    @Test func fixedNumbersBeginWithTheLeastByteAndIdentifiersWithTheGreatest() {
        #expect(written { $0.fixed64(7, 0x0102_0304_0506_0708) } == [0x39, 8, 7, 6, 5, 4, 3, 2, 1])
        #expect(
            written { $0.words(1, 0x0102_0304_0506_0708, 9) } == [0x0a, 16, 1, 2, 3, 4, 5, 6, 7, 8] + [
                0, 0, 0, 0, 0, 0, 0, 9,
            ]
        )
    }
}
