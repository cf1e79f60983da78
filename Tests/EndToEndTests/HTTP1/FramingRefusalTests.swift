import Testing

/// Requests that two recipients could parse differently: 400, the connection closed, nothing at the backend (RFC 9112
/// sections 2.2, 5.1, 5.2, 6.1, 6.3, 11.2).
@Suite struct FramingRefusalTests {
    private static func post(_ fields: String, _ body: String = "") -> String {
        "POST /open/x HTTP/1.1\r\nHost: app.test\r\n\(fields)\r\n\r\n\(body)"
    }

    private static func get(_ fields: String) -> String {
        "GET /open/x HTTP/1.1\r\nHost: app.test\r\n\(fields)\r\n\r\n"
    }

    private static let smuggled = "GET /open/smuggled HTTP/1.1\r\nHost: app.test\r\n\r\n"

    private static let lengths: [(String, String)] = [
        ("both framings", post("Content-Length: 5\r\nTransfer-Encoding: chunked", "0\r\n\r\n" + smuggled)),
        ("both framings, the other way", post("Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n")),
        ("two lengths", post("Content-Length: 5\r\nContent-Length: 6", "hello!")),
        ("the same length twice", post("Content-Length: 5\r\nContent-Length: 5", "hello")),
        ("a list of lengths", post("Content-Length: 5, 5", "hello")),
        ("a signed length", post("Content-Length: +5", "hello")),
        ("a negative length", post("Content-Length: -5", "hello")),
        ("a hexadecimal length", post("Content-Length: 0x5", "hello")),
        ("a fraction", post("Content-Length: 5.0", "hello")),
        ("an empty length", post("Content-Length:", "hello")),
        ("a length with a space", post("Content-Length: 5 5", "hello")),
        ("a length with a vertical tab", post("Content-Length: \u{0b}5", "hello")),
        ("a length with a word", post("Content-Length: five", "hello")),
    ]

    /// Around 2^63 and 2^64, where a parser's arithmetic overflows.
    private static let longLengths = [
        "9223372036854775806", "9223372036854775807", "9223372036854775808", "9223372036854775809",
        "9999999999999999999", "10000000000000000000", "18446744073709551615", "18446744073709551616",
        "18446744073709551621", "92233720368547758070", "99999999999999999999", "09223372036854775808",
        String(repeating: "9", count: 400),
    ]

    private static let codings: [(String, String)] = [
        ("an unknown coding", post("Transfer-Encoding: gzip", "hello")),
        ("a coding after chunked", post("Transfer-Encoding: chunked, gzip", "0\r\n\r\n")),
        ("identity", post("Transfer-Encoding: identity", "hello")),
        ("chunked twice", post("Transfer-Encoding: chunked, chunked", "0\r\n\r\n")),
        ("chunked in two fields", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "0\r\n\r\n")),
        (
            "chunked and identity in two fields",
            post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "0\r\n\r\n")
        ),
        ("xchunked", post("Transfer-Encoding: xchunked", "0\r\n\r\n")),
        ("chunked in quotes", post("Transfer-Encoding: \"chunked\"", "0\r\n\r\n")),
        ("chunked with a parameter", post("Transfer-Encoding: chunked;q=1", "0\r\n\r\n")),
        ("chunked after a vertical tab", post("Transfer-Encoding: \u{0b}chunked", "0\r\n\r\n")),
        ("an empty coding", post("Transfer-Encoding:", "hello")),
        ("a trailing comma", post("Transfer-Encoding: chunked,", "0\r\n\r\n")),
        (
            "chunked in HTTP/1.0",
            "POST /open/x HTTP/1.0\r\nHost: app.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
    ]

    private static let lines: [(String, String)] = [
        ("obs-fold", get("X-A: b\r\n c")),
        ("obs-fold with a tab", get("X-A: b\r\n\tc")),
        ("a folded framing field", post("Transfer-Encoding:\r\n chunked", "0\r\n\r\n")),
        ("a first field line with a space", "GET /open/x HTTP/1.1\r\n Host: app.test\r\n\r\n"),
        ("a space before the colon", get("X-A : b")),
        ("a tab before the colon", get("X-A\t: b")),
        ("a space before the framing's colon", post("Transfer-Encoding : chunked", "0\r\n\r\n")),
        ("no colon", get("X-A")),
        ("an empty name", get(": b")),
        ("a name with a space", get("X A: b")),
        ("a name with a control character", get("X\u{01}A: b")),
        ("a name with a bracket", get("X(A): b")),
        ("a name with a quote", get("\"X\": b")),
        ("a name that is no ASCII", get("X-\u{e9}: b")),
        ("NUL in a value", get("X-A: b\u{0}c")),
        ("NUL in a name", get("X\u{0}A: b")),
        ("a bare CR in a value", get("X-A: b\rc")),
        ("a bare CR before another field", get("X-A: b\rX-B: c")),
        ("a bare LF before a field", "GET /open/x HTTP/1.1\r\nHost: app.test\nX-A: b\r\n\r\n"),
        ("a bare LF after the request line", "GET /open/x HTTP/1.1\nHost: app.test\r\n\r\n"),
        ("bare LFs alone", "GET /open/x HTTP/1.1\nHost: app.test\n\n"),
        ("a bare LF at the end", "GET /open/x HTTP/1.1\r\nHost: app.test\r\n\n"),
        ("a control character in a value", get("X-A: b\u{01}c")),
        ("DEL in a value", get("X-A: b\u{7f}c")),
    ]

    private static let requestLines: [(String, String)] = [
        ("two spaces", "GET  /open/x HTTP/1.1\r\nHost: app.test\r\n\r\n"),
        ("a tab", "GET\t/open/x HTTP/1.1\r\nHost: app.test\r\n\r\n"),
        ("a space at the end", "GET /open/x HTTP/1.1 \r\nHost: app.test\r\n\r\n"),
        ("a space in the target", "GET /open/x y HTTP/1.1\r\nHost: app.test\r\n\r\n"),
        ("no target", "GET HTTP/1.1\r\nHost: app.test\r\n\r\n"),
        ("no version", "GET /open/x\r\nHost: app.test\r\n\r\n"),
        ("a lower-case version", "GET /open/x http/1.1\r\nHost: app.test\r\n\r\n"),
        ("a short version", "GET /open/x HTTP/1\r\nHost: app.test\r\n\r\n"),
        ("a long version", "GET /open/x HTTP/1.10\r\nHost: app.test\r\n\r\n"),
        ("a method that is no token", "GE(T /open/x HTTP/1.1\r\nHost: app.test\r\n\r\n"),
        ("no method", " /open/x HTTP/1.1\r\nHost: app.test\r\n\r\n"),
        ("a control character in the target", "GET /open/\u{01}x HTTP/1.1\r\nHost: app.test\r\n\r\n"),
        ("rubbish", "\u{16}\u{03}\u{01}\u{02}\r\n\r\n"),
    ]

    private static let hosts: [(String, String)] = [
        ("no Host", "GET /open/x HTTP/1.1\r\n\r\n"),
        ("no Host with an absolute-form target", "GET http://app.test/open/x HTTP/1.1\r\n\r\n"),
        ("two Hosts", get("Host: app.test")),
        ("two different Hosts", get("Host: evil.test")),
    ]

    /// Invalid hosts (RFC 9110 section 7.2). The framing is clear, so the connection may stay open.
    private static let notHosts = [
        "", "user@app.test", "app.test/x", "app.test, evil.test", "app.test evil.test", "app.test:80x",
        "app.test:65536", "[::1", "app.test:80:80", "app%2etest", "app.test\\", "app.test?x",
    ]

    @Test func invalidHostIsRefused() async throws {
        try await withGateway { fixture async throws in
            for host in Self.notHosts {
                let response = try await fixture.request("/open/x", host: host)
                #expect(response.status == 400, "\"\(host)\"")
                #expect(Problem(response)?.code == "bad_request", "\"\(host)\"")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    /// Sends each request with another behind it and expects one 400 and the end of the connection.
    private func expectRefused(_ cases: [(String, String)], status: Int = 400) async throws {
        try await withGateway { fixture async throws in
            for (name, raw) in cases {
                let client = try await fixture.connect()
                try await client.send(raw + Self.smuggled)
                let response = try await client.response()
                #expect(response.status == status, "\(name)")
                #expect(Problem(response)?.code == "bad_request", "\(name)")
                #expect(response.fields.list("Connection") == ["close"], "\(name)")
                #expect(try await client.untilClosed() == [], "\(name)")
                await client.close()
            }
            #expect(fixture.backend.requests.isEmpty)
            // The next caller is not harmed.
            #expect(try await fixture.request("/open/canary").status == 200)
            #expect(fixture.backend.requests.map(\.target) == ["/open/canary"])
        }
    }

    @Test func unclearLengthsAreRefused() async throws {
        try await expectRefused(Self.lengths)
    }

    @Test func overflowingLengthsAreRefused() async throws {
        try await expectRefused(Self.longLengths.map { ($0, Self.post("Content-Length: \($0)", "hello")) })
    }

    /// RFC 9112 section 6.1.
    @Test func unknownTransferCodingIs501AndConnectionClosed() async throws {
        try await expectRefused(
            [
                ("a coding before chunked", Self.post("Transfer-Encoding: gzip, chunked", "0\r\n\r\n")),
                ("two fields", Self.post("Transfer-Encoding: br\r\nTransfer-Encoding: chunked", "0\r\n\r\n")),
            ],
            status: 501
        )
    }

    @Test func codingsOtherThanChunkedAreRefused() async throws {
        try await expectRefused(Self.codings)
    }

    @Test func malformedFieldLinesAreRefused() async throws {
        try await expectRefused(Self.lines)
    }

    @Test func malformedRequestLinesAreRefused() async throws {
        try await expectRefused(Self.requestLines)
    }

    @Test func unclearHostsAreRefused() async throws {
        try await expectRefused(Self.hosts)
    }

    @Test func otherMajorVersionsAreRefused() async throws {
        try await withGateway { fixture async throws in
            for version in ["HTTP/2.0", "HTTP/0.9", "HTTP/3.0", "HTTP/9.9"] {
                let client = try await fixture.connect()
                try await client.send("GET /open/x \(version)\r\nHost: app.test\r\n\r\n")
                #expect([400, 505].contains(try await client.response().status), "\(version)")
                try await client.untilClosed()
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func malformedRequestIsRefusedByteByByte() async throws {
        try await withGateway { fixture async throws in
            for raw in [Self.lengths[0].1, Self.lines[0].1, Self.codings[1].1] {
                let client = try await fixture.connect()
                let end = raw.firstRange(of: "\r\n\r\n")?.upperBound ?? raw.endIndex
                try await client.drip(String(raw[..<end]))
                #expect(try await client.response().status == 400)
                try await client.untilClosed()
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func emptyLinesBeforeRequestAreIgnored() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.connect()
            #expect(try await client.request("\r\n" + fixture.head("/open/a")).status == 200)
            #expect(try await client.request("\r\n\r\n" + fixture.head("/open/b")).status == 200)
            #expect(try await client.request("\r\n\r\n\r\n" + fixture.head("/open/c")).status == 400)
            #expect(fixture.backend.requests.map(\.target) == ["/open/a", "/open/b"])
        }
    }

    private static let chunks: [(String, String)] = [
        ("no size", "\r\nhello\r\n0\r\n\r\n"),
        ("a size that is no number", "x\r\nhello\r\n0\r\n\r\n"),
        ("a prefixed size", "0x5\r\nhello\r\n0\r\n\r\n"),
        ("a signed size", "+5\r\nhello\r\n0\r\n\r\n"),
        ("a negative size", "-5\r\nhello\r\n0\r\n\r\n"),
        ("a size past 64 bits", "10000000000000005\r\nhello\r\n0\r\n\r\n"),
        ("a bare LF after the size", "5\nhello\r\n0\r\n\r\n"),
        ("a bare CR in the extension", "5;a\rb\r\nhello\r\n0\r\n\r\n"),
        ("a bare LF in the extension", "5;a\nb\r\nhello\r\n0\r\n\r\n"),
        ("data past its size", "5\r\nhello!\r\n0\r\n\r\n"),
        ("a bare LF after the data", "5\r\nhello\n0\r\n\r\n"),
        ("a space before the size", " 5\r\nhello\r\n0\r\n\r\n"),
        ("a malformed trailer", "0\r\nX A: b\r\n\r\n"),
        ("a folded trailer", "0\r\nX-A: b\r\n c\r\n\r\n"),
        ("a bare LF at the end", "0\r\n\n"),
    ]

    @Test func malformedChunksNeverReachBackendAsWholeRequest() async throws {
        try await withGateway { fixture async throws in
            for (name, body) in Self.chunks {
                let client = try await fixture.connect()
                let response = try await client.request(Self.post("Transfer-Encoding: chunked", body + Self.smuggled))
                #expect(response.status == 400, "\(name)")
                #expect(try await client.untilClosed() == [], "\(name)")
            }
            #expect(try await fixture.request("/open/canary").status == 200)
            #expect(fixture.backend.requests.map(\.target) == ["/open/canary"])
        }
    }
}
