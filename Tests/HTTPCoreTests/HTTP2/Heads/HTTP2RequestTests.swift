import TestSupport
import Testing

@testable import HTTPCore

/// A request of HTTP/2 as a head of HTTP/1.1.
struct HTTP2RequestTests {
    private let start = "GET /a?b=c HTTP/1.1\r\nhost: api.example\r\n"

    @Test func requestIsWrittenAsHTTP1Head() throws {
        let (text, info) = try HTTP2Translation.request([("accept", "*/*"), ("x-a", ""), ("expect", "100-continue")])
            .writeRequest()
        #expect(text == start + "accept: */*\r\nx-a: \r\nexpect: 100-continue\r\n\r\n")
        #expect(info == HTTP2Request.Info())
    }

    @Test func bodyIsFramedByLengthOrChunks() throws {
        let sized = HTTP2Translation.request([("content-length", "05"), ("a", "b")])
        #expect(try sized.writeRequest(endStream: false).text == start + "content-length: 05\r\na: b\r\n\r\n")
        #expect(try sized.writeRequest(endStream: false).info.contentLength == 5)
        let open = try HTTP2Translation.request().writeRequest(endStream: false)
        #expect(open.text == start + "transfer-encoding: chunked\r\n\r\n")
        #expect(open.info.contentLength == nil)
        let empty = try HTTP2Translation.request([("content-length", "0")]).writeRequest()
        #expect(empty.text == start + "content-length: 0\r\n\r\n")
        #expect(empty.info.contentLength == 0)
    }

    @Test func parserReadsWrittenFraming() throws {
        func framing(_ fields: [(String, String)], endStream: Bool) throws -> RequestFraming? {
            let text = try HTTP2Translation.request(fields).writeRequest(endStream: endStream).text
            return RequestOutcome.parse(text).reading?.framing
        }
        #expect(try framing([], endStream: true) == RequestFraming.none)
        #expect(try framing([], endStream: false) == .chunked)
        #expect(try framing([("content-length", "7")], endStream: false) == .length(7))
    }

    @Test func hostReplacesAuthorityOrMustMatch() throws {
        let alone = HTTP2Translation.request([("a", "1"), ("host", "h.example"), ("b", "2")], [":authority": nil])
        #expect(try alone.writeRequest().text == "GET /a?b=c HTTP/1.1\r\nhost: h.example\r\na: 1\r\nb: 2\r\n\r\n")
        let same = HTTP2Translation.request([("host", "API.example"), ("b", "2")])
        #expect(try same.writeRequest().text == start + "b: 2\r\n\r\n")
        #expect(throws: HTTP2Malformed("host and :authority differ")) {
            try HTTP2Translation.request([("host", "evil.example")]).writeRequest()
        }
        #expect(throws: HTTP2Malformed("there are several host fields")) {
            try HTTP2Translation.request([("host", "api.example"), ("host", "api.example")]).writeRequest()
        }
        #expect(throws: HTTP2Malformed("there are several host fields")) {
            try HTTP2Translation.request([("host", "a.example"), ("host", "b.example")], [":authority": nil])
                .writeRequest()
        }
        let none = try HTTP2Translation.request([], [":authority": nil]).writeRequest().text
        #expect(RequestOutcome.parse(none).status == 400)
    }

    @Test func cookiesAreJoined() throws {
        let several = HTTP2Translation.request([("cookie", "a=1"), ("x", "y"), ("cookie", "b=2"), ("cookie", "c=3")])
        #expect(try several.writeRequest().text == start + "x: y\r\ncookie: a=1; b=2; c=3\r\n\r\n")
        let one = HTTP2Translation.request([("cookie", "a=1"), ("x", "y")])
        #expect(try one.writeRequest().text == start + "cookie: a=1\r\nx: y\r\n\r\n")
    }

    @Test func connectKeepsAuthorityForm() throws {
        let tunnel = HTTP2Translation([(":method", "CONNECT"), (":authority", "db.example:5432")])
        #expect(
            try tunnel.writeRequest(endStream: false).text
                == "CONNECT db.example:5432 HTTP/1.1\r\nhost: db.example:5432\r\n\r\n"
        )
        let unknown = HTTP2Translation.request([], [":method": "CONNECT", ":protocol": "connect-udp"])
        let (text, info) = try unknown.writeRequest(endStream: false)
        #expect(text == "CONNECT api.example HTTP/1.1\r\nhost: api.example\r\n\r\n")
        #expect(!info.isExtendedConnect)
    }

    @Test func webSocketIsWrittenAsUpgrade() throws {
        let request = HTTP2Translation.request(
            [("sec-websocket-version", "13"), ("origin", "https://a.example")],
            [":method": "CONNECT", ":protocol": "websocket"]
        )
        let (text, info) = try request.writeRequest(endStream: false)
        let fields = "sec-websocket-version: 13\r\norigin: https://a.example\r\n"
        #expect(text == start + fields + "connection: upgrade\r\nupgrade: websocket\r\n\r\n")
        #expect(info.isExtendedConnect)
    }

    @Test func optionsAllowsAsteriskPath() throws {
        let request = HTTP2Translation.request([], [":method": "OPTIONS", ":path": "*"])
        #expect(try request.writeRequest().text.hasPrefix("OPTIONS * HTTP/1.1\r\n"))
    }

    @Test func listWithMissingFieldsIsRefused() throws {
        var list = HeaderList()
        list.reset(maximumSize: 10, maximumFields: 10)
        list.commit(nameLength: 0, valueLength: 0)
        #expect(throws: HTTP2Malformed.headTooLarge) { try HTTP2Request.trailers(list) }
    }

    @Test func trailersAreWrittenAsLines() throws {
        let list = HeaderList([HPACKField("grpc-status", "0"), HPACKField("x-a", "")])
        #expect(try HTTP2Request.trailers(list) == Array("grpc-status: 0\r\nx-a: \r\n".utf8))
        #expect(try HTTP2Request.trailers(HeaderList([])) == [])
        for wrong in [":path", "X-A", "content-length", "transfer-encoding", "host", "connection", "", "a b"] {
            let list = HeaderList([HPACKField("x-a", "1"), HPACKField(wrong, "1")])
            #expect(throws: HTTP2Malformed.self, "\(wrong)") { try HTTP2Request.trailers(list) }
        }
    }
}
