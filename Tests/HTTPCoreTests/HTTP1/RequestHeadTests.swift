import TestSupport
import Testing

@testable import HTTPCore

/// Heads that RFC 9112 allows, and each fact that is read from them.
struct RequestHeadTests {
    private func read(_ text: String) throws -> RequestReading {
        try #require(RequestOutcome.parse(text).reading)
    }

    @Test func simpleHeadIsParsed() throws {
        let text = "GET /a?b=c HTTP/1.1\r\nHost: app.test\r\nX-One: 1\r\n\r\nrest"
        var expected = RequestReading(method: "GET", target: "/a?b=c")
        expected.fields = [.init("Host", "app.test"), .init("X-One", "1")]
        expected.host = 0
        expected.length = text.utf8.count - 4
        #expect(RequestOutcome.parse(text) == .head(expected))
    }

    @Test(arguments: [
        ("", RequestFraming.none), ("Content-Length: 0\r\n", .length(0)), ("content-length: 0012\r\n", .length(12)),
        ("Content-Length:\t7 \r\n", .length(7)),
        ("Content-Length: 999999999999999999\r\n", .length(999_999_999_999_999_999)),
        ("Transfer-Encoding: chunked\r\n", .chunked), ("TRANSFER-ENCODING:CHUNKED\r\n", .chunked),
    ])
    func framingComesFromFields(lines: String, framing: RequestFraming) throws {
        #expect(try read("POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n").framing == framing)
    }

    @Test(arguments: [("HTTP/1.0", 0), ("HTTP/1.1", 1), ("HTTP/1.2", 1), ("HTTP/1.9", 1)])
    func higherMinorVersionIsReadAsOne(version: String, minor: Int) throws {
        #expect(try read("GET / \(version)\r\nHost: a\r\n\r\n").minorVersion == minor)
    }

    @Test func hostIsOptionalInHTTP10() throws {
        #expect(try read("GET / HTTP/1.0\r\n\r\n").host == nil)
    }

    @Test func hostIsFoundAtAnyIndex() throws {
        #expect(try read("GET / HTTP/1.1\r\nA: 1\r\nB: 2\r\nhOsT: x\r\nC: 3\r\n\r\n").host == 2)
    }

    @Test(arguments: ["\r\n", "\r\n\r\n"])
    func emptyLinesBeforeRequestLineAreIgnored(lines: String) throws {
        let text = "\(lines)GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        let reading = try read(text)
        #expect(reading.method == Array("GET".utf8))
        #expect(reading.length == text.utf8.count)
        // Cut anywhere, it is the same head.
        #expect(RequestOutcome.drip(Array(text.utf8)).0.reading?.method == Array("GET".utf8))
    }

    struct Persistence: Sendable {
        var version: String
        var connection: String
        var close = false
        var keepAlive = false
        var names = false
    }

    @Test(arguments: [
        Persistence(version: "1.1", connection: ""),
        Persistence(version: "1.1", connection: "Connection: close\r\n", close: true),
        Persistence(version: "1.1", connection: "Connection: Keep-Alive\r\n", keepAlive: true),
        Persistence(version: "1.1", connection: "Connection: ,, CLOSE ,x-hop\r\n", close: true, names: true),
        Persistence(
            version: "1.0",
            connection: "Connection: keep-alive\r\nConnection: x-hop\r\n",
            keepAlive: true,
            names: true
        ),
        Persistence(version: "1.1", connection: "Connection: closed\r\n", names: true),
        Persistence(version: "1.1", connection: "Connection:\r\n"),
    ])
    func connectionOptionsAreRead(expected: Persistence) throws {
        let reading = try read("GET / HTTP/\(expected.version)\r\nHost: a\r\n\(expected.connection)\r\n")
        #expect(reading.connectionClose == expected.close)
        #expect(reading.connectionKeepAlive == expected.keepAlive)
        #expect(reading.connectionNamesFields == expected.names)
    }

    @Test(arguments: [
        ("HTTP/1.1", "", true), ("HTTP/1.1", "close", false), ("HTTP/1.0", "", false), ("HTTP/1.0", "keep-alive", true),
        ("HTTP/1.0", "keep-alive, close", false), ("HTTP/1.1", "keep-alive, close", false),
    ])
    func keepAliveFollowsVersionAndConnection(version: String, connection: String, wants: Bool) {
        let bytes = Array("GET / \(version)\r\nHost: a\r\nConnection: \(connection)\r\n\r\n".utf8)
        let head = RequestHead()
        #expect(RequestOutcome.parse(bytes, into: head) != .incomplete)
        #expect(head.keepsAlive == wants)
    }

    @Test(arguments: [
        ("HTTP/1.1", "Content-Length: 3", true), ("HTTP/1.1", "Transfer-Encoding: chunked", true),
        ("HTTP/1.1", "A: b", false), ("HTTP/1.0", "Content-Length: 3", false),
    ])
    func expectationNeedsBodyAndHTTP11(version: String, line: String, expects: Bool) throws {
        let reading = try read("PUT / \(version)\r\nHost: a\r\nExpect: 100-Continue\r\n\(line)\r\n\r\n")
        #expect(reading.expectsContinue == expects)
    }

    @Test func repeatedTraceparentIsIgnored() throws {
        #expect(try read("GET / HTTP/1.1\r\nHost: a\r\ntraceparent: x\r\n\r\n").traceparent == 1)
        #expect(try read("GET / HTTP/1.1\r\nHost: a\r\nTraceparent: x\r\ntraceparent: x\r\n\r\n").traceparent == nil)
        let three = "traceparent: x\r\ntraceparent: y\r\ntraceparent: z\r\n"
        #expect(try read("GET / HTTP/1.1\r\nHost: a\r\n\(three)\r\n").traceparent == nil)
    }

    @Test func valuesAreTrimmed() throws {
        let reading = try read("GET / HTTP/1.1\r\nHost:a\r\nA:\r\nB: \t \r\nC:\t x \t y \t\r\n\r\n")
        #expect(reading.fields == [.init("Host", "a"), .init("A", ""), .init("B", ""), .init("C", "x \t y")])
    }

    @Test func everyTokenByteIsAllowedInNameAndMethod() throws {
        let name = String(decoding: RequestGenerator.tokenBytes, as: UTF8.self)
        #expect(try read("GET / HTTP/1.1\r\nHost: a\r\nQ\(name): 1\r\n\r\n").values("Q\(name)") == ["1"])
        for byte in RequestGenerator.tokenBytes {
            let method = String(decoding: [byte], as: UTF8.self)
            #expect(try read("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n").method == [byte])
        }
    }

    @Test func aliasOfHarmlessFieldIsAnotherField() {
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX_Request_Id: 1\r\nX_Custom: 2\r\nX-Plain: 3\r\n\r\n".utf8)
        let head = RequestHead()
        #expect(RequestOutcome.parse(bytes, into: head).reading != nil)
        #expect(head.fields[..<head.fieldCount].map(\.isAlias) == [false, true, true, false])
        #expect(head.fields[..<head.fieldCount].map(\.known) == [.host, .xRequestID, .other, .other])
    }

    @Test func knownFieldsAreRecognizedInAnyCaseAndWithUnderscores() {
        let names: [(String, KnownField)] = [
            ("Host", .host), ("CONTENT-LENGTH", .contentLength), ("transfer-encoding", .transferEncoding),
            ("Connection", .connection), ("Authorization", .authorization), ("Cookie", .cookie), ("Expect", .expect),
            ("Upgrade", .upgrade), ("TE", .te), ("Trailer", .trailer), ("Keep-Alive", .keepAlive),
            ("Proxy-Connection", .proxyConnection), ("Proxy-Authenticate", .proxyAuthenticate),
            ("Proxy-Authorization", .proxyAuthorization), ("HTTP2-Settings", .http2Settings),
            ("Forwarded", .forwarded), ("X-Forwarded", .xForwarded), ("X-Forwarded-Host", .xForwarded),
            ("X_Forwarded_Port", .xForwarded), ("X-Forwardedness", .other), ("X-Real-IP", .xRealIP),
            ("X-Request-ID", .xRequestID), ("traceparent", .traceparent), ("tracestate", .tracestate), ("Date", .date),
            ("content_length", .contentLength), ("proxy_authorization", .proxyAuthorization), ("Hosts", .other),
            ("H", .other), ("Cookie2", .other), ("Set-Cookie", .other), ("X-User-Id", .other),
        ]
        for (name, known) in names {
            let bytes = Array(name.utf8)
            let told = KnownField.named(bytes.span, 0..<bytes.count)
            #expect(told == known, "\(name)")
        }
    }

    @Test func reusedHeadKeepsNothing() {
        let full = "Content-Length: 3\r\nExpect: 100-continue\r\nConnection: close, keep-alive, x\r\ntraceparent: a\r\n"
        let head = RequestHead()
        let first = RequestOutcome.parse(Array("PUT /x HTTP/1.0\r\nHost: a\r\n\(full)\r\n".utf8), into: head)
        #expect(first.reading?.fields.count == 5)
        let plain = Array("GET / HTTP/1.1\r\nA: 1\r\nHost: b\r\n\r\n".utf8)
        #expect(RequestOutcome.parse(plain, into: head) == RequestOutcome.parse(plain))
    }
}
