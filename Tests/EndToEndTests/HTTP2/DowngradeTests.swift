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

    /// `HTTP2RequestRefusalTests` has them all.
    @Test func whatHTTP1CannotSayIsRefused() async throws {
        let attempts = [
            Attempt(name: "a field in a name", fields: Self.post(("transfer-encoding: chunked", "1"))),
            Attempt(name: "a request in a value", fields: Self.post(("x-a", "1\r\n\r\n" + Self.smuggled))),
            Attempt(name: "a request line in :path", fields: Self.replacing(":path", "/open/x HTTP/1.1\r\nx: y")),
            Attempt(name: "a coding", fields: Self.post(("transfer-encoding", "chunked")), body: Self.chunkedEnd),
            Attempt(name: "a length too short", fields: Self.post(("content-length", "1")), body: Self.smuggled),
            Attempt(name: "a field of the connection", fields: Self.post(("connection", "x-forwarded-for"))),
        ]
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

    // MARK: Either way, but never both

    /// Expects a refusal, or one request with exactly the given method and target.
    private func expectCleanOrRefused(
        _ attempts: [Attempt],
        setup: GatewaySetup = GatewaySetup(),
        forbidden: Set<String> = []
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
