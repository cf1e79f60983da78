import Testing

/// Which fields make a request (RFC 9113 sections 8.2 and 8.3): others are malformed, each alone, and the connection
/// lives on.
@Suite struct RequestFieldTests {
    private static let whole = HTTP2Client.fields("/open/x")

    private static func with(_ fields: (String, String)...) -> [(String, String)] { whole + fields }

    private static func without(_ name: String) -> [(String, String)] { whole.filter { $0.0 != name } }

    private static func replacing(_ name: String, _ value: String) -> [(String, String)] {
        whole.map { $0.0 == name ? (name, value) : $0 }
    }

    /// Sends each list of fields and expects a refusal, with nothing at the backend.
    private func expectMalformed(_ cases: [(String, [(String, String)])]) async throws {
        try await withGateway { fixture async throws in
            for (comment, fields) in cases {
                let client = try await fixture.http2()
                let stream = await client.newStream()
                try await client.send(.headers(stream, HeaderBlock(fields: fields)))
                try await client.expectMalformed(on: stream, comment: comment)
                await client.raw.close()
            }
            #expect(fixture.backend.requestsButCanaries.map(\.target) == [])
        }
    }

    @Test func missingPseudoFieldsAreMalformed() async throws {
        try await expectMalformed([
            ("no :method", Self.without(":method")), ("no :scheme", Self.without(":scheme")),
            ("no :path", Self.without(":path")), ("nothing", []), ("no pseudo-field", [("host", "app.test")]),
            ("neither :authority nor Host", Self.without(":authority")),
        ])
    }

    @Test func pseudoFieldsComeOnce() async throws {
        try await expectMalformed([
            ("two :method", [(":method", "GET")] + Self.whole), ("another :method", [(":method", "POST")] + Self.whole),
            ("two :scheme", [(":scheme", "http")] + Self.whole), ("two :path", [(":path", "/open/y")] + Self.whole),
            ("two :authority", [(":authority", "app.test")] + Self.whole),
            ("another :authority", [(":authority", "other.test")] + Self.whole),
        ])
    }

    @Test func pseudoFieldsComeFirst() async throws {
        try await expectMalformed(
            [":method", ":scheme", ":authority", ":path"].map { name in
                let late = Self.whole.filter { $0.0 == name }
                return ("\(name) after a field", Self.without(name) + [("x-a", "b")] + late)
            }
        )
    }

    @Test func otherPseudoFieldsAreMalformed() async throws {
        try await expectMalformed([
            ("unknown", [(":x", "1")] + Self.whole), ("a response's", [(":status", "200")] + Self.whole),
            (":host", [(":host", "app.test")] + Self.whole), ("a lone colon", [(":", "1")] + Self.whole),
            ("upper case", Self.without(":method") + [(":Method", "GET")]),
            (":protocol without CONNECT", [(":protocol", "websocket")] + Self.whole),
        ])
    }

    @Test func pathStartsWithSlash() async throws {
        try await expectMalformed(
            ["open/x", "*", "?a", "http://app.test/open/x", "app.test:80", "\\open", "#", "/open/x#y"].map {
                ($0, Self.replacing(":path", $0))
            }
        )
    }

    @Test func authorityIsHostAndPort() async throws {
        try await expectMalformed(
            [
                "user@app.test", "user:pass@app.test", "app.test/open", "app.test:80x", "app.test:65536",
                "app.test,evil.test",
                "app.test evil.test", "[::1", "app.test:80:80", "app%2etest", "app.test\\", "app.test?x", "app.test#x",
            ].map { ($0, Self.replacing(":authority", $0)) }
        )
    }

    /// Unlike a malformed request it gets a response.
    @Test func emptyAuthorityGets400() async throws {
        try await withGateway { fixture async throws in
            #expect(try await fixture.http2().request("/open/x", authority: "").status == 400)
        }
    }

    @Test func namesAreLowerCaseTokens() async throws {
        let names = [
            "X-Upper", "x-Mixed", "connectioN", "x y", " x", "x ", "x:", "x:y", "x\ty", "x\u{0}", "x\r\ny", "x\ny",
            "x\ry", "x\u{7f}", "x(y)", "x\"y", "x/y", "x[y]", "x\u{e9}", "",
        ]
        try await expectMalformed(names.map { ("\($0.debugDescription)", Self.with(($0, "1"))) })
    }

    @Test func valuesHoldNoControlCharactersAndNoSpaceAtTheirEnds() async throws {
        let values = [
            "a\u{0}b", "\u{0}", "a\rb", "a\nb", "a\r\nb", "a\r\n b", "\na", "a\n", " a", "a ", "\ta", "a\t", " ", "\t",
            "a\u{1}b", "a\u{7f}b", "a\u{b}b", "a\u{1b}b",
        ]
        try await expectMalformed(values.map { ("\($0.debugDescription)", Self.with(("x-a", $0))) })
    }

    // MARK: Host

    @Test func hostMayReplaceAuthority() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = await client.newStream()
            let fields = Self.without(":authority") + [("host", "app.test")]
            try await client.send(.headers(stream, HeaderBlock(fields: fields)))
            #expect(try await client.response(on: stream).status == 200)
            #expect(try await client.request("/open/x", fields: [("host", "app.test")]).status == 200)
            #expect(fixture.backend.requests.map { $0.fields["Host"] } == [["app.test"], ["app.test"]])
        }
    }

    @Test func hostsThatDisagreeAreMalformed() async throws {
        try await expectMalformed([
            ("another host", Self.with(("host", "other.test"))),
            ("two hosts", Self.with(("host", "app.test"), ("host", "app.test"))),
            (
                "two hosts without :authority",
                Self.without(":authority") + [("host", "app.test"), ("host", "other.test")]
            ),
        ])
    }

    // MARK: Lengths (RFC 9113 section 8.1.1)

    @Test func contentOfWrongLengthIsMalformed() async throws {
        let cases: [(String, [String])] = [
            ("1", ["hello"]), ("6", ["hello"]), ("4", ["he", "llo"]), ("6", ["he", "llo"]),
            ("1", [""]), ("5", ["he", "", "l", ""]), ("1000", []),
        ]
        try await withGateway { fixture async throws in
            for (length, pieces) in cases {
                let client = try await fixture.http2()
                let stream = await client.newStream()
                let fields = HTTP2Client.fields("/open/x", method: "POST", fields: [("content-length", length)])
                let content = pieces.enumerated().map { number, piece in
                    HTTP2Frame.data(stream, piece, end: number == pieces.count - 1)
                }
                try await client.send([.headers(stream, HeaderBlock(fields: fields), end: pieces.isEmpty)] + content)
                try await client.expectMalformed(on: stream, comment: "\(length) for \(pieces)")
            }
            #expect(fixture.backend.requestsButCanaries.map(\.target) == [])
        }
    }

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
