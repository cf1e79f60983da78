import NIOCore
import TestSupport
import Testing

@testable import HTTPCore

struct HPACKEncoderTests {
    private let field = HPACKField("x-name", "some value")

    @Test func repeatedFieldIsIndexed() {
        var encoder = HPACKEncoder()
        #expect(encoder.block([field])[0] == 0x00)
        #expect(encoder.block([field])[0] == 0x40)
        #expect(encoder.block([field]) == [0xbe])
    }

    @Test func credentialsAreNeverIndexed() {
        var encoder = HPACKEncoder()
        for _ in 0..<4 {
            #expect(encoder.block([HPACKField("cookie", "a=b")], indexing: .never)[..<2] == [0x1f, 0x11])
            #expect(encoder.block([HPACKField("x-key", "b")], indexing: .never)[0] == 0x10)
            #expect(encoder.block([HPACKField("etag", "b")], indexing: .without)[..<2] == [0x0f, 0x13])
        }
    }

    @Test func staticFieldsAreOneByte() {
        var encoder = HPACKEncoder()
        let fields = [
            HPACKField(":method", "GET"), HPACKField(":method", "POST"), HPACKField(":path", "/"),
            HPACKField(":scheme", "https"), HPACKField(":status", "500"),
            HPACKField("accept-encoding", "gzip, deflate"),
        ]
        #expect(encoder.block(fields) == [0x82, 0x83, 0x84, 0x87, 0x8e, 0x90])
    }

    @Test func statusIsShort() throws {
        var encoder = HPACKEncoder()
        var decoder = HPACKDecoder()
        for status in [100, 103, 200, 204, 206, 299, 304, 400, 401, 404, 500, 503, 999] {
            var out = ByteBuffer()
            encoder.encode(status: status, to: &out)
            #expect(out.readableBytes <= 5)
            #expect(try decoder.fields(of: Array(out.readableBytesView)) == [HPACKField(":status", "\(status)")])
        }
    }

    @Test func tableSizeUpdatesStartWithSmallest() throws {
        var encoder = HPACKEncoder()
        for _ in 0..<3 { _ = encoder.block([field]) }
        encoder.peerTableSizeChanged(4096)
        #expect(encoder.block([]) == [])
        encoder.peerTableSizeChanged(0)
        encoder.peerTableSizeChanged(400)
        #expect(encoder.block([]) == [0x20, 0x3f, 0xf1, 0x02])
        #expect(encoder.block([field])[0] == 0x40)
        encoder.peerTableSizeChanged(1 << 30)
        #expect(encoder.block([]) == [0x3f, 0xe1, 0x1f])
    }

    @Test func smallerTableIsSignalled() {
        var encoder = HPACKEncoder(maximumTableSize: 128)
        #expect(encoder.block([]) == [0x3f, 0x61])
        #expect(encoder.block([]) == [])
    }

    @Test func emptyTableIndexesNothing() {
        var encoder = HPACKEncoder()
        encoder.peerTableSizeChanged(0)
        #expect(encoder.block([field])[..<2] == [0x20, 0x00])
        for _ in 0..<3 { #expect(encoder.block([field])[0] == 0x00) }
    }

    @Test func everyByteRoundTripsThroughHuffman() {
        let encoder = HuffmanEncoder.shared
        for first in 0..<256 {
            for text in [[UInt8(first)], [0x61, UInt8(first)], (0..<40).map { UInt8((first + $0) & 255) }] {
                var out = ByteBuffer()
                encoder.write(text.span, length: encoder.length(of: text.span), to: &out)
                let coded = Array(out.readableBytesView)
                #expect(coded.count == encoder.length(of: text.span))
                var list = HeaderList()
                list.reset(maximumSize: 4096, maximumFields: 1)
                let decoded = try? list.withSpace(at: 0, for: HuffmanDecoder.mostDecoded(coded.count)) {
                    room throws(HPACKFailure) in
                    let count = try HuffmanDecoder.shared.decode(coded.span, into: &room)
                    return (0..<count).map { room[$0] }
                }
                #expect(decoded == text)
            }
        }
    }
}
