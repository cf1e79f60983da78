import Testing

/// What HTTP/2 can express and HTTP/1.1 cannot. A forwarded request is written anew as text; nothing in it may become a
/// second request or another field for the backend.
@Suite struct DowngradeTests {
    private struct Attempt {
        var name: String
        var fields: [(String, String)]
        var body: String?
    }

    private static let smuggled = "GET /open/smuggled HTTP/1.1\r\nHost: app.test\r\n\r\n"
    private static let chunkedEnd = "0\r\n\r\n" + smuggled

    private static func post(_ fields: (String, String)...) -> [(String, String)] {
        HTTP2Client.fields("/open/x", method: "POST") + fields
    }

    private static func replacing(_ name: String, _ value: String) -> [(String, String)] {
        post().map { $0.0 == name ? (name, value) : $0 }
    }

    /// Responds with the request's target, so that a mixed-up response shows.
    private static let naming = BackendScript { exchange in
        try await exchange.body()
        try await exchange.sendOK(exchange.head.target)
    }

    /// Sends one attempt on a connection of its own.
    private func send(_ attempt: Attempt, _ fixture: GatewayFixture) async throws -> HTTP2Outcome {
        let client = try await fixture.http2()
        let stream = await client.newStream()
        let block = HeaderBlock(fields: attempt.fields)
        let content = attempt.body.map { [HTTP2Frame.data(stream, $0, end: true)] } ?? []
        try await client.send([.headers(stream, block, end: attempt.body == nil)] + content)
        let outcome = try await client.outcome(of: stream)
        await client.raw.close()
        return outcome
    }

    /// Expects each attempt to be refused, the backend to see nothing of it, and the next caller to get its own
    /// response.
    private func expectRefused(_ attempts: [Attempt]) async throws {
        try await withGateway(backend: Self.naming) { fixture async throws in
            for attempt in attempts {
                switch try await send(attempt, fixture) {
                case .response(let response): #expect((400...499).contains(response.status), "\(attempt.name)")
                case .reset(let code): #expect(code == .protocolError, "\(attempt.name)")
                case .ended(let code): #expect(code == .protocolError, "\(attempt.name)")
                }
                #expect(try await fixture.request("/open/canary").body.text == "/open/canary", "\(attempt.name)")
            }
            #expect(fixture.backend.requestsButCanaries.map(\.target) == [])
            #expect(fixture.backend.requests.count == attempts.count)
        }
    }

    // MARK: Line ends everywhere

    private static let poisons = [
        ("CR", "\r"), ("LF", "\n"), ("CRLF", "\r\n"), ("NUL", "\u{0}"), ("a field", "\r\nx-injected: 1"),
        ("a field after LF", "\nx-injected: 1"), ("a coding", "\r\ntransfer-encoding: chunked\r\nx: y"),
        ("a request", "\r\n\r\n" + smuggled),
    ]

    private static func poisoned(_ text: String, _ poison: String) -> [(String, String)] {
        [("first", poison + text), ("inside", text.prefix(2) + poison + text.dropFirst(2)), ("last", text + poison)]
    }

    @Test func lineEndsInNameAreRefused() async throws {
        try await expectRefused(
            Self.poisons.flatMap { kind, poison in
                Self.poisoned("x-name", poison).map {
                    Attempt(name: "\(kind) \($0.0)", fields: Self.post(($0.1, "1")), body: Self.chunkedEnd)
                }
            }
        )
    }

    @Test func lineEndsInValueAreRefused() async throws {
        try await expectRefused(
            Self.poisons.flatMap { kind, poison in
                Self.poisoned("value", poison).map {
                    Attempt(name: "\(kind) \($0.0)", fields: Self.post(("x-a", $0.1)), body: Self.chunkedEnd)
                }
            }
        )
    }

    @Test(arguments: [":method", ":scheme", ":authority", ":path"])
    func lineEndsInPseudoFieldAreRefused(name: String) async throws {
        let ordinary = Self.post().first { $0.0 == name }?.1 ?? ""
        try await expectRefused(
            Self.poisons.flatMap { kind, poison in
                Self.poisoned(ordinary, poison).map {
                    Attempt(name: "\(kind) \($0.0)", fields: Self.replacing(name, $0.1), body: Self.chunkedEnd)
                }
            }
        )
    }

    // MARK: Spaces and colons

    @Test func requestLineInPseudoFieldIsRefused() async throws {
        try await expectRefused([
            Attempt(name: "a method with a target", fields: Self.replacing(":method", "GET /open/smuggled HTTP/1.1")),
            Attempt(name: "a method with a space", fields: Self.replacing(":method", "GET ")),
            Attempt(name: "a method with a tab", fields: Self.replacing(":method", "GE\tT")),
            Attempt(name: "a path with a version", fields: Self.replacing(":path", "/open/smuggled HTTP/1.1")),
            Attempt(name: "a path with a space", fields: Self.replacing(":path", "/open/a b")),
            Attempt(name: "a path with a space at its end", fields: Self.replacing(":path", "/open/a ")),
            Attempt(name: "a path with a tab", fields: Self.replacing(":path", "/open/a\tb")),
            Attempt(name: "a path that is a target", fields: Self.replacing(":path", "http://app.test/open/x")),
            Attempt(name: "an authority with a path", fields: Self.replacing(":authority", "app.test/open")),
            Attempt(name: "an authority with a space", fields: Self.replacing(":authority", "app.test x")),
            Attempt(name: "an authority with a user", fields: Self.replacing(":authority", "other.test@app.test")),
            Attempt(name: "a scheme with a target", fields: Self.replacing(":scheme", "http://other.test/?")),
            Attempt(name: "a scheme with a space", fields: Self.replacing(":scheme", "http /x")),
        ])
    }

    @Test func fieldInNameIsRefused() async throws {
        let names = [
            "transfer-encoding: chunked", "transfer-encoding:", "transfer-encoding ", " transfer-encoding",
            "transfer-encoding\t", "\ttransfer-encoding", "transfer encoding", "host:", "x-user-id: root", ":",
            "content-length:", "transfer-encoding\u{b}", "Transfer-Encoding", "transfer-encodinG", ":transfer-encoding",
        ]
        try await expectRefused(
            names.map { Attempt(name: $0, fields: Self.post(($0, "chunked")), body: Self.chunkedEnd) }
        )
    }

    // MARK: Framing

    @Test func framingOfTextIsRefused() async throws {
        try await expectRefused([
            Attempt(name: "chunked", fields: Self.post(("transfer-encoding", "chunked")), body: Self.chunkedEnd),
            Attempt(
                name: "chunked and a length",
                fields: Self.post(("transfer-encoding", "chunked"), ("content-length", "5")),
                body: Self.chunkedEnd
            ),
            Attempt(name: "identity", fields: Self.post(("transfer-encoding", "identity")), body: "hello"),
            Attempt(name: "an empty coding", fields: Self.post(("transfer-encoding", "")), body: "hello"),
            Attempt(name: "chunked without content", fields: Self.post(("transfer-encoding", "chunked"))),
            Attempt(name: "a length of one", fields: Self.post(("content-length", "1")), body: "X" + Self.smuggled),
            Attempt(name: "a length too long", fields: Self.post(("content-length", "500")), body: "x"),
            Attempt(name: "a length without content", fields: Self.post(("content-length", "10"))),
            Attempt(
                name: "two lengths",
                fields: Self.post(("content-length", "0"), ("content-length", "\(Self.smuggled.utf8.count)")),
                body: Self.smuggled
            ),
            Attempt(name: "a list of lengths", fields: Self.post(("content-length", "5, 5")), body: "hello"),
            Attempt(name: "a signed length", fields: Self.post(("content-length", "+5")), body: "hello"),
            Attempt(name: "a length with a coding", fields: Self.post(("content-length", "5;chunked")), body: "hello"),
        ])
    }

    @Test func fieldsOfConnectionAreRefused() async throws {
        try await expectRefused([
            Attempt(name: "a field to drop", fields: Self.post(("connection", "x-forwarded-for"))),
            Attempt(name: "a length to drop", fields: Self.post(("connection", "content-length")), body: "hello"),
            Attempt(name: "an upgrade", fields: Self.post(("upgrade", "h2c"), ("http2-settings", "AAMAAABk"))),
            Attempt(name: "keep-alive", fields: Self.post(("keep-alive", "300"))),
            Attempt(name: "proxy-connection", fields: Self.post(("proxy-connection", "close"))),
            Attempt(name: "te", fields: Self.post(("te", "chunked")), body: "hello"),
        ])
    }

    // MARK: Either way, but never both

    /// Expects a refusal, or one request with exactly the given method and target.
    private func expectCleanOrRefused(
        _ attempts: [Attempt],
        setup: GatewaySetup = GatewaySetup(),
        forbidden: Set<String> = [],
        allowed: [String: [String]] = [:]
    ) async throws {
        try await withGateway(setup, backend: Self.naming) { fixture async throws in
            for attempt in attempts {
                let before = fixture.backend.requests.count
                let outcome = try await send(attempt, fixture)
                let seen = fixture.backend.requests.dropFirst(before)
                guard case .response(let response) = outcome, response.status == 200 else {
                    #expect(seen.count == 0, "\(attempt.name)")
                    continue
                }
                #expect(seen.map(\.target) == ["/open/x"], "\(attempt.name)")
                #expect(response.body.text == "/open/x", "\(attempt.name)")
                for request in seen {
                    #expect(request.fields["Host"] == ["app.test"], "\(attempt.name)")
                    #expect(request.body.text == attempt.body ?? "", "\(attempt.name)")
                    #expect(forbidden.isDisjoint(with: request.fields.names), "\(attempt.name): \(request.fields)")
                    for (name, values) in allowed {
                        #expect(request.fields[name] == values, "\(attempt.name)")
                    }
                }
                #expect(try await fixture.request("/open/canary").body.text == "/open/canary", "\(attempt.name)")
            }
            #expect(!fixture.backend.requests.contains { $0.target == "/open/smuggled" })
            #expect(fixture.other.requests.isEmpty)
        }
    }

    /// Backends that make `-` and `_` one (as CGI does) must not read a framing field or an identity in a twin.
    @Test func twinsWithUnderscoresDoNotPass() async throws {
        let setup = GatewaySetup(tenant: "identity: { headers: { X-User-Id: sub } }")
        let twins = ["transfer_encoding", "content_length", "x_user_id", "x_user-id", "x-user_id"]
        try await expectCleanOrRefused(
            twins.map { Attempt(name: $0, fields: Self.post(($0, "chunked")), body: Self.chunkedEnd) },
            setup: setup,
            forbidden: ["x_user_id", "x_user-id", "x-user_id", "x-user-id", "transfer_encoding", "content_length"]
        )
    }

    @Test func clientsIdentityDoesNotPass() async throws {
        let setup = GatewaySetup(tenant: "identity: { headers: { X-User-Id: sub } }")
        try await expectCleanOrRefused(
            [
                Attempt(name: "once", fields: Self.post(("x-user-id", "root"))),
                Attempt(name: "twice", fields: Self.post(("x-user-id", "a"), ("x-user-id", "b"))),
                Attempt(
                    name: "named by connection",
                    fields: Self.post(("connection", "x-user-id"), ("x-user-id", "a"))
                ),
            ],
            setup: setup,
            forbidden: ["x-user-id"]
        )
    }

    @Test func oneHostReachesBackend() async throws {
        let others = GatewaySetup(
            others: """
                other:
                  hosts: [other.test]
                  backend: { servers: ["{other}"] }
                  authenticate:
                    from: [bearer]
                    issuers: [ { issuer: "https://id.test", algorithms: [RS256], jwks_file: "{jwks}" } ]
                  access: [ { path: /open/**, allow: anyone } ]
                """
        )
        try await expectCleanOrRefused(
            [
                Attempt(name: "another host", fields: Self.post(("host", "other.test"))),
                Attempt(name: "an empty host", fields: Self.post(("host", ""))),
                Attempt(name: "the same host", fields: Self.post(("host", "app.test"))),
                Attempt(name: "the same host in upper case", fields: Self.post(("host", "APP.TEST"))),
                Attempt(name: "the same host and a port", fields: Self.post(("host", "app.test:80"))),
                Attempt(name: "two hosts", fields: Self.post(("host", "app.test"), ("host", "other.test"))),
                Attempt(name: "a forwarded host", fields: Self.post(("x-forwarded-host", "other.test"))),
                Attempt(name: "another scheme", fields: Self.replacing(":scheme", "https")),
                Attempt(name: "a scheme nobody knows", fields: Self.replacing(":scheme", "gopher")),
            ],
            setup: others
        )
    }

    @Test func contentIsNeverReadAsRequest() async throws {
        let bodies = [Self.smuggled, Self.chunkedEnd, "\r\n\r\n" + Self.smuggled, "5\r\nhello\r\n" + Self.chunkedEnd]
        try await expectCleanOrRefused(
            bodies.flatMap { body in
                [
                    Attempt(name: "without a length", fields: Self.post(), body: body),
                    Attempt(name: "with one", fields: Self.post(("content-length", "\(body.utf8.count)")), body: body),
                    Attempt(
                        name: "with one of a GET",
                        fields: HTTP2Client.fields("/open/x", fields: [("content-length", "\(body.utf8.count)")]),
                        body: body
                    ),
                    Attempt(name: "without one of a GET", fields: HTTP2Client.fields("/open/x"), body: body),
                ]
            }
        )
    }

    @Test func expectDoesNotBypassContentChecks() async throws {
        try await expectCleanOrRefused([
            Attempt(name: "100-continue", fields: Self.post(("expect", "100-continue")), body: Self.smuggled),
            Attempt(
                name: "100-continue and a length",
                fields: Self.post(("expect", "100-continue"), ("content-length", "\(Self.smuggled.utf8.count)")),
                body: Self.smuggled
            ),
        ])
    }
}
