import Testing

/// Requests that two recipients could parse differently. `ProxyTests` has a suite of this name with one of every sort.
@Suite struct FramingRefusalTests {
    private static func post(_ fields: String, _ body: String = "") -> String {
        "POST /open/x HTTP/1.1\r\nHost: app.test\r\n\(fields)\r\n\r\n\(body)"
    }

    private static let smuggled = "GET /open/smuggled HTTP/1.1\r\nHost: app.test\r\n\r\n"

    @Test func requestBehindAmbiguousOneIsNeverRead() async throws {
        let ambiguous = [
            Self.post("Content-Length: 5\r\nTransfer-Encoding: chunked", "0\r\n\r\n"), Self.post("X-A: b\r\n c"),
        ]
        try await withGateway { fixture async throws in
            for raw in ambiguous {
                let client = try await fixture.connect()
                let response = try await client.request(raw + Self.smuggled)
                expectRefusal(response, 400, "bad_request", raw)
                #expect(response.fields.list("Connection") == ["close"], "\(raw)")
                #expect(try await client.untilClosed() == [], "\(raw)")
            }
            // The next caller is not harmed.
            #expect(try await fixture.request("/open/canary").status == 200)
            #expect(fixture.backend.requests.map(\.target) == ["/open/canary"])
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
