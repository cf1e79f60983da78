import NIOCore
import TestSupport
import Testing
import Upstream

@testable import HTTPCore
@testable import Proxy

/// An HTTP/1.1 response as header blocks for an HTTP/2 client.
struct HTTP2ResponseTests {
    private func encode(
        _ lines: String,
        _ encode: (ResponseHead, Span<UInt8>, inout HPACKEncoder, inout ByteBuffer) -> Void
    ) throws -> [HPACKField] {
        let bytes = Array((lines + "\r\n").utf8)
        let head = ResponseHead()
        try #require(ResponseOutcome.parse(bytes, into: head).reading != nil)
        var out = ByteBuffer()
        var encoder = HPACKEncoder()
        encode(head, bytes.span, &encoder, &out)
        var decoder = HPACKDecoder()
        return try decoder.fields(of: Array(out.readableBytesView))
    }

    private func final(_ lines: String) throws -> [HPACKField] {
        try encode(lines) { head, bytes, encoder, out in
            HTTP2Response.encode(head, bytes, date: Array("today".utf8), fields: [], with: &encoder, to: &out)
        }
    }

    @Test func responseFieldsAreLowercased() throws {
        let fields = try final("HTTP/1.1 201 Created\r\nX-Name: Value\r\nDate: then\r\nContent-Length: 012\r\n")
        let expected = [(":status", "201"), ("x-name", "Value"), ("date", "then"), ("content-length", "12")]
        #expect(fields == expected.map { HPACKField($0.0, $0.1) })
    }

    @Test func missingDateIsAdded() throws {
        #expect(try final("HTTP/1.1 200 OK\r\n") == [HPACKField(":status", "200"), HPACKField("date", "today")])
    }

    @Test(arguments: [
        "Connection: close", "Keep-Alive: 5", "Proxy-Authenticate: x", "Transfer-Encoding: chunked", "Upgrade: h2c",
        "Connection: x-hop\r\nX-Hop: 1", "TE: x", "X-Hop: 1\r\nConnection: q, X_HOP", "Proxy-Connection: x",
    ])
    func hopByHopFieldsAreDropped(lines: String) throws {
        let fields = try final("HTTP/1.1 200 OK\r\nA: 1\r\n\(lines)\r\nB: 2\r\nDate: d\r\n")
        #expect(fields.map(\.name) == [":status", "a", "b", "date"])
    }

    @Test func noContentHasNoLength() throws {
        #expect(try final("HTTP/1.1 204 x\r\nContent-Length: 0\r\n").map(\.name) == [":status", "date"])
        #expect(try final("HTTP/1.1 304 x\r\nContent-Length: 7\r\n").last == HPACKField("content-length", "7"))
    }

    @Test func interimResponseHasOnlyItsFields() throws {
        let fields = try encode("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nConnection: close\r\n") {
            HTTP2Response.encodeInterim($0, $1, with: &$2, to: &$3)
        }
        #expect(fields == [HPACKField(":status", "103"), HPACKField("link", "</a>")])
    }

    @Test func grantedWebSocketIs200() throws {
        let lines = """
            HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nDate: d\r
            Sec-WebSocket-Accept: abc\r\nSec-WebSocket-Protocol: chat\r\n
            """
        let fields = try encode(lines) { head, bytes, encoder, out in
            HTTP2Response.encodeSwitching(head, bytes, date: [], fields: [], with: &encoder, to: &out)
        }
        let expected = [(":status", "200"), ("date", "d"), ("sec-websocket-protocol", "chat")]
        #expect(fields == expected.map { HPACKField($0.0, $0.1) })
    }

    @Test func cookiesAreNeverIndexed() throws {
        let bytes = Array("HTTP/1.1 200 OK\r\nDate: d\r\nSet-Cookie: a=b\r\n\r\n".utf8)
        let head = ResponseHead()
        try #require(ResponseOutcome.parse(bytes, into: head).reading != nil)
        var encoder = HPACKEncoder()
        for _ in 0..<4 {
            var out = ByteBuffer()
            HTTP2Response.encode(head, bytes.span, date: [], fields: [], with: &encoder, to: &out)
            let block = Array(out.readableBytesView)
            // The name is index 55 of the static table.
            let expected: [UInt8] = [0x1f, 40, 3] + Array("a=b".utf8)
            #expect(Array(block.suffix(6)) == expected)
        }
    }

    @Test func ownFieldsAreLowercasedAndTokensNeverIndexed() throws {
        var response = GatewayResponse(status: 200, unindexedFields: [HeaderField("X-New-Token", "t")])
        response.fields = [HeaderField("Retry-After", "1")]
        var encoder = HPACKEncoder()
        var decoder = HPACKDecoder()
        var block: [UInt8] = []
        for _ in 0..<2 {
            var out = ByteBuffer()
            HTTP2Response.encode(response, date: Array("d".utf8), with: &encoder, to: &out)
            block = Array(out.readableBytesView)
            let names = try decoder.fields(of: block).map(\.name)
            #expect(names == [":status", "date", "content-length", "retry-after", "x-new-token"])
        }
        // Indexed fields are one byte by now; a literal that is never indexed begins with 0x10.
        #expect(block.contains(0x10))
    }

    @Test func harmlessTrailersAreForwarded() throws {
        var block = HTTP2TrailerBlock()
        let section = "Grpc-Status: 0\r\nContent-Length: 5\r\nX-Sum:  a\r\nSet-Cookie: a=b\r\n"
        block.append(section: Array(section.utf8))
        var decoder = HPACKDecoder()
        let fields = try decoder.fields(of: Array(block.bytes.readableBytesView))
        #expect(fields == [HPACKField("grpc-status", "0"), HPACKField("x-sum", "a")])
    }
}
