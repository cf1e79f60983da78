import NIOCore
import TestSupport
import Testing

@testable import HTTPCore

/// The request that a server of HTTP/2 gets, and its answer as a head of HTTP/1.1.
struct HTTP2BackendHeadTests {
    private func request(_ text: String, isTLS: Bool = false) throws -> [HPACKField] {
        let bytes = Array(text.utf8)
        let head = RequestHead()
        try #require(RequestOutcome.parse(bytes, into: head).reading != nil)
        var encoder = HPACKEncoder()
        var decoder = HPACKDecoder()
        var fields: [HPACKField] = []
        // The third time from the dynamic table.
        for _ in 0..<3 {
            var out = ByteBuffer()
            HTTP2BackendRequest.encode(head, bytes.span, isTLS: isTLS, with: &encoder, to: &out)
            fields = try decoder.fields(of: Array(out.readableBytesView))
        }
        return fields
    }

    @Test func requestHasPseudoFieldsFirst() throws {
        let fields = try request(
            """
            POST /a?b=c HTTP/1.1\r\nX-A: 1\r\nHost: b.example:81\r\nAuthorization: Bearer x\r\nContent-Length: 03\r
            Connection: x-hop\r\nX-Hop: 1\r\nCookie: a=1; b=2\r\n\r\n
            """
        )
        let expected = [
            (":method", "POST"), (":scheme", "http"), (":authority", "b.example:81"), (":path", "/a?b=c"), ("x-a", "1"),
            ("authorization", "Bearer x"), ("cookie", "a=1; b=2"), ("content-length", "3"), ("te", "trailers"),
        ]
        #expect(fields == expected.map { HPACKField($0.0, $0.1) })
    }

    @Test func bodyOfUnknownLengthHasNoLengthField() throws {
        let fields = try request(
            "PURGE / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTE: gzip\r\nUpgrade: x\r\n\r\n",
            isTLS: true
        )
        let expected = [
            (":method", "PURGE"), (":scheme", "https"), (":authority", "a"), (":path", "/"), ("te", "trailers"),
        ]
        #expect(fields == expected.map { HPACKField($0.0, $0.1) })
    }

    @Test func responseIsWrittenAsHTTP1Head() throws {
        let answer = HTTP2Translation([(":status", "200"), ("content-length", "5"), ("x-a", "b")])
        #expect(try answer.writeResponse() == "HTTP/1.1 200 \r\ncontent-length: 5\r\nx-a: b\r\n\r\n")
        let open = HTTP2Translation([(":status", "200")])
        #expect(try open.writeResponse() == "HTTP/1.1 200 \r\ntransfer-encoding: chunked\r\n\r\n")
        #expect(try open.writeResponse(endStream: true) == "HTTP/1.1 200 \r\ncontent-length: 0\r\n\r\n")
    }

    @Test func responseWithoutBodyIsNotFramed() throws {
        for status in ["204", "304", "100", "103"] {
            let answer = HTTP2Translation([(":status", status), ("a", "b")])
            #expect(try answer.writeResponse() == "HTTP/1.1 \(status) \r\na: b\r\n\r\n")
        }
        let answer = HTTP2Translation([(":status", "200"), ("content-length", "9")])
        let text = try answer.writeResponse(endStream: true, answeringHead: true)
        #expect(text == "HTTP/1.1 200 \r\ncontent-length: 9\r\n\r\n")
    }

    @Test func parserReadsWrittenFraming() throws {
        func framing(_ fields: [(String, String)], endStream: Bool) throws -> ResponseFraming {
            let head = ResponseHead()
            let text = try HTTP2Translation([(":status", "200")] + fields).writeResponse(endStream: endStream)
            try #require(ResponseOutcome.parse(Array(text.utf8), into: head).reading != nil)
            return head.framing(answeringHead: false)
        }
        #expect(try framing([], endStream: false) == .chunked)
        #expect(try framing([], endStream: true) == .length(0))
        #expect(try framing([("content-length", "4")], endStream: false) == .length(4))
    }

    @Test(arguments: [
        [], [("a", "b")], [("a", "b"), (":status", "200")], [(":status", "200"), (":status", "200")],
        [(":status", "101")], [(":status", "20")], [(":status", "2000")], [(":status", "099")], [(":status", "2x0")],
        [(":status", "200"), (":path", "/")], [(":status", "200"), ("Upper", "a")], [(":method", "GET")],
        [(":status", "200"), ("connection", "close")], [(":status", "200"), ("transfer-encoding", "chunked")],
        [(":status", "200"), ("a", "b\r\nc: d")], [(":status", "200"), ("a", " b")],
        [(":status", "200"), ("content-length", "5"), ("content-length", "5")],
        [(":status", "200"), ("content-length", "x")], [(":status", "200"), ("upgrade", "websocket")],
    ])
    func malformedResponseIsRefused(fields: [(String, String)]) {
        #expect(throws: HTTP2Malformed.self) { try HTTP2Translation(fields).writeResponse() }
    }

    @Test func responseShorterThanItsLengthIsMalformed() {
        let answer = HTTP2Translation([(":status", "200"), ("content-length", "5")])
        #expect(throws: HTTP2Malformed("the content is shorter than content-length says")) {
            try answer.writeResponse(endStream: true)
        }
    }
}
