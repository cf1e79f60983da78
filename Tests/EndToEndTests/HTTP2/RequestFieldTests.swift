import Testing

/// Which fields make a request (RFC 9113 sections 8.2 and 8.3): others are malformed, each alone, and the connection
/// lives on.
@Suite struct RequestFieldTests {
    private static func replacing(_ name: String, _ value: String?) -> [(String, String)] {
        HTTP2Client.fields("/open/x").compactMap { field in
            guard field.0 == name else { return field }
            return value.map { (name, $0) }
        }
    }

    /// `HTTP2RequestRefusalTests` and `RequestHostTests` have them all.
    @Test func malformedRequestsReachNoBackend() async throws {
        let whole = HTTP2Client.fields("/open/x")
        let cases = [
            ("no :path", Self.replacing(":path", nil)), ("two :method", [(":method", "POST")] + whole),
            (":path comes late", Self.replacing(":path", nil) + [("x-a", "b"), (":path", "/open/x")]),
            (":path without a slash", Self.replacing(":path", "open/x")),
            (":authority with a user", Self.replacing(":authority", "user@app.test")),
            (":authority with a path", Self.replacing(":authority", "app.test/open")),
            (":authority is empty", Self.replacing(":authority", "")),
            ("another host", whole + [("host", "other.test")]), ("upper case", whole + [("X-Upper", "1")]),
            ("a control character", whole + [("x-a", "a\u{1}b")]),
        ]
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            for (comment, fields) in cases {
                let stream = await client.newStream()
                try await client.send(.headers(stream, HeaderBlock(fields: fields)))
                try await client.expectMalformed(on: stream, comment: comment)
            }
            let stream = await client.newStream()
            let fields = Self.replacing(":authority", nil) + [("host", "app.test")]
            try await client.send(.headers(stream, HeaderBlock(fields: fields)))
            #expect(try await client.response(on: stream).status == 200)
            #expect(fixture.backend.requestsButCanaries.map { $0.fields["Host"] } == [["app.test"]])
        }
    }

    // MARK: Lengths (RFC 9113 section 8.1.1)

    /// Content within its length is streamed; the excess is dropped and the stream refused.
    @Test func contentPastItsLengthNeverReachesBackend() async throws {
        let smuggled = "GET /open/smuggled HTTP/1.1\r\nHost: app.test\r\n\r\n"
        let cases = [("0", "", smuggled), ("5", "hello", smuggled), ("5", "hello", "!"), ("0", "", "hello")]
        try await withGateway { fixture async throws in
            for (length, content, excess) in cases {
                let before = fixture.backend.requests.count
                let client = try await fixture.http2()
                let stream = await client.newStream()
                let fields = HTTP2Client.fields("/open/x", method: "POST", fields: [("content-length", length)])
                try await client.send(
                    .headers(stream, HeaderBlock(fields: fields), end: false),
                    .data(stream, content),
                    .data(stream, excess, end: true)
                )
                try await client.expectMalformed(on: stream, comment: length)
                let seen = fixture.backend.requests.dropFirst(before).filter { $0.target != "/open/canary" }
                #expect(seen.count <= 1)
                for request in seen {
                    #expect(request.target == "/open/x")
                    #expect(request.body.text == content)
                }
            }
        }
    }

    // MARK: Cookies (RFC 9113 section 8.2.3)

    @Test func tokenIsFoundInCookieCrumbs() async throws {
        let issuers = """
            authenticate: { from: ["cookie:sid"], issuers: [ \(TestIssuer.entry) ] }
            """
        try await withGateway(GatewaySetup(tenant: issuers)) { fixture async throws in
            let client = try await fixture.http2()
            let token = try fixture.token()
            let crumbs = [("cookie", "a=1"), ("cookie", "sid=\(token)"), ("cookie", "b=2")]
            #expect(try await client.request("/closed", fields: crumbs).status == 200)
            #expect(try await client.request("/closed", fields: [("cookie", "a=1")]).status == 401)
            let twice = [("cookie", "sid=\(token)"), ("cookie", "sid=other")]
            #expect(try await client.request("/closed", fields: twice).status == 400)
        }
    }

    // MARK: CONNECT (RFC 9113 section 8.5)

    @Test func connectIsRefused() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = await client.newStream()
            let fields = [(":method", "CONNECT"), (":authority", "app.test:\(fixture.backend.port)")]
            try await client.send(.headers(stream, HeaderBlock(fields: fields), end: false))
            switch try await client.outcome(of: stream) {
            case .response(let response): #expect((400...501).contains(response.status))
            case .reset(let code): #expect(code != .noError)
            case .ended: Issue.record("the connection ended")
            }
            try await client.expectAlive()
            #expect(fixture.backend.requestsButCanaries.map(\.target) == [])
        }
    }
}
