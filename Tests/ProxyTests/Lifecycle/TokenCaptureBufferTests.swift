import NIOCore
import TestSupport
import Testing
import UpstreamTestSupport

@testable import Proxy
@testable import Tenants

/// The responses that refresh tokens are read from.
struct TokenCaptureBufferTests {
    private func buffer(room: Int = 1 << 20) throws -> TokenCaptureBuffer {
        TokenCaptureBuffer(
            TokenCapture(
                path: try PathPattern("/login"),
                accessToken: try SampleRenewal.pointer("/access"),
                refreshToken: try SampleRenewal.pointer("/data/refresh")
            ),
            ReplayBudget(room)
        )
    }

    private func tokens(_ text: String) throws -> [String]? {
        let bytes = ByteBuffer(string: text)
        let buffer = try buffer(room: bytes.readableBytes)
        guard buffer.take(bytes, 0..<bytes.readableBytes) else { return nil }
        return buffer.tokens().map { [$0.access, $0.refresh].map { String(decoding: $0, as: UTF8.self) } }
    }

    @Test func tokensAreReadByPointer() throws {
        #expect(try tokens(#" {"x":[1],"data":{"refresh":"r\u0031"},"access":"a.b.c"}"# + "\n") == ["a.b.c", "r1"])
    }

    @Test(arguments: [
        "", "{", "null", "[]", #"{"access":"a"}"#, #"{"access":"a","data":{}}"#,
        #"{"access":"a","data":{"refresh":""}}"#, #"{"access":"a","data":{"refresh":1}}"#,
        #"{"access":1,"data":{"refresh":"r"}}"#, #"{"access":"a","data":["r"]}"#,
        #"{"access":"a","data":{"refresh":"r"}} x"#, #"{"access":"a","access":"b","data":{"refresh":"r"}}"#,
    ])
    func otherDocumentsHaveNoTokens(_ text: String) throws {
        #expect(try tokens(text) == nil)
    }

    @Test func responseIsBufferedUpToLimit() throws {
        let most = 64 << 10
        let room = ReplayBudget(1 << 20)
        let buffer = TokenCaptureBuffer(try buffer().rule, room)
        let bytes = ByteBuffer(repeating: UInt8(ascii: " "), count: most)
        /// Whether a part of so many bytes was taken, and the content after it.
        func take(_ count: Int) -> [Int] {
            [buffer.take(bytes, 5..<(5 + count)) ? 1 : 0, buffer.content.readableBytes]
        }
        #expect(take(most - 5) == [1, most - 5])
        // Nothing of a part that is too long.
        #expect(take(6) == [0, most - 5])
        #expect(take(5) == [1, most])
        #expect(take(1) == [0, most])
        #expect(room.left == (1 << 20) - most)
    }

    @Test func nothingIsBufferedWithoutMemory() throws {
        let room = ReplayBudget(10)
        let buffer = TokenCaptureBuffer(try buffer().rule, room)
        let bytes = ByteBuffer(repeating: UInt8(ascii: " "), count: 20)
        let taken = [6, 5, 4, 1].map { buffer.take(bytes, 0..<$0) }
        #expect(taken == [true, false, true, false])
        #expect(room.left == 0 && buffer.content.readableBytes == 10)
    }

    @Test func piecesAreReadFromTheirRange() throws {
        let text = #"{"access":"a.b.c","data":{"refresh":"r1"}}"#
        var random = SplitMix64(seed: 43)
        for _ in 0..<100 {
            let buffer = try buffer(room: 1000)
            for piece in random.pieces(Array(text.utf8), longest: 9) {
                var bytes = ByteBuffer(string: "before")
                // Ranges count from the reader index.
                bytes.moveReaderIndex(forwardBy: 3)
                bytes.writeBytes(piece)
                bytes.writeString("behind")
                let isTaken = buffer.take(bytes, 3..<(3 + piece.count))
                #expect(isTaken)
            }
            #expect(String(buffer: buffer.content) == text)
            #expect(buffer.tokens()?.refresh == Array("r1".utf8))
        }
    }
}
