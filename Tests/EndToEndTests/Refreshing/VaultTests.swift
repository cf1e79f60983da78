import TestSupport
import Testing
import Verification

/// `from: vault`: refresh tokens of the backend's sign-in responses are stored, for clients that never send theirs.
@Suite struct VaultTests {
    private static func setup(_ key: String = "on_401: true", path: String = "/open/login") -> GatewaySetup {
        var setup = GatewaySetup.refreshing(
            key,
            "from: vault",
            "vault: { capture: [ { path: \(path), refresh_token: /data/refresh } ] }",
            call: "path: \(RefreshingBackend.refreshPath), send: refresh_token_json"
        )
        setup.sealingKeys = GatewaySetup.sampleSealingKey
        return setup
    }

    /// A backend whose sign-in sends the next raw response in the mailbox.
    ///
    /// - Parameter key: Of `refresh`.
    private func withVault(
        _ key: String = "on_401: true",
        _ test: (GatewayFixture, RefreshingBackend, SampleSession, Mailbox<String>) async throws -> Void
    ) async throws {
        let responses = Mailbox<String>("the answer to a sign-in")
        let good = BackendScript { exchange in
            guard exchange.head.path == "/open/login" else { return try await BackendScript.okOrHead.run(exchange) }
            try await exchange.body()
            let response = try await responses.next()
            try await exchange.send(response)
            if response.contains("Connection: close") { await exchange.close() }
        }
        try await withStub(Self.setup(key), otherwise: good) { fixture, stub async throws in
            try await test(fixture, stub, try fixture.session(), responses)
        }
    }

    private func document(_ session: SampleSession, filling: Int = 0) -> String {
        let filling = String(repeating: "x", count: filling)
        return #"{ "access_token": "\#(session.old)", "data": {"refresh":"\#(session.oldRefresh)"}, "x":"\#(filling)"}"#
    }

    private func plain(
        _ body: String,
        status: String = "200 OK",
        fields: String = "Content-Type: application/json\r\n"
    ) -> String {
        "HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private func signIn(_ fixture: GatewayFixture) async throws -> RawResponse {
        let fields = ["Content-Length: 2", "Accept-Encoding: gzip, br", "X-Own: 1"]
        return try await fixture.send(
            fixture.head("/open/login", method: "POST", fields: fields) + "{}",
            method: "POST"
        )
    }

    /// Expects the backend's 401 to lead to a refresh with this token.
    private func expectRefresh(_ fixture: GatewayFixture, _ stub: RefreshingBackend, _ session: SampleSession)
        async throws
    {
        stub.end(session.old)
        stub.give(session.pair)
        let response = try await fixture.request("/x", token: session.old)
        #expect(response.status == 200)
        expectDelivered(response, session.new)
        #expect(fixture.refreshCalls.map(\.body.text) == [#"{"refresh_token":"\#(session.oldRefresh)"}"#])
    }

    /// Expects no refresh.
    private func expectNone(_ fixture: GatewayFixture, _ stub: RefreshingBackend, _ session: SampleSession) async throws
    {
        stub.end(session.old)
        stub.give(session.pair)
        let response = try await fixture.request("/x", token: session.old)
        expectBackendsRefusal(response)
        expectNothingDelivered(response)
        #expect(fixture.refreshCalls.isEmpty)
    }

    // MARK: Responses with tokens

    @Test(arguments: ["length", "chunked", "close"])
    func signInResponsePassesUnchangedAndTokenIsCaptured(_ framing: String) async throws {
        try await withVault { fixture, stub, session, responses async throws in
            let document = document(session)
            let halves = [document.prefix(40), document.dropFirst(40)]
            switch framing {
            case "length": responses.put(plain(document))
            case "chunked":
                let chunks = halves.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }.joined()
                responses.put(
                    "HTTP/1.1 201 Created\r\nContent-Type: Application/Problem+JSON; charset=utf-8\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n\(chunks)0\r\nX-Sum: 1\r\n\r\n"
                )
            default:
                responses.put("HTTP/1.1 200 OK\r\nContent-Type: text/json\r\nConnection: close\r\n\r\n\(document)")
            }
            let response = try await signIn(fixture)
            #expect(response.status == (framing == "chunked" ? 201 : 200))
            #expect(response.body.text == document)
            if framing == "chunked" { #expect(response.body.trailers["X-Sum"] == ["1"]) }
            let asked = try #require(fixture.backend.requests.first)
            // The gateway must be able to read the body.
            #expect(asked.fields["Accept-Encoding"] == [] && asked.fields["X-Own"] == ["1"])
            try await expectRefresh(fixture, stub, session)
        }
    }

    @Test func connectionContinuesAfterCapture() async throws {
        try await withVault { fixture, stub, session, responses async throws in
            let client = try await fixture.connect()
            responses.put(plain(document(session)))
            try await client.send(
                fixture.head("/open/login", method: "POST", fields: ["Content-Length: 0"]) + fixture.head("/open/next")
            )
            #expect(try await client.response(to: "POST").body.text == document(session))
            #expect(try await client.response().body.text == "ok")
            try await expectRefresh(fixture, stub, session)
        }
    }

    @Test func signInOverHTTP2IsCaptured() async throws {
        try await withVault { fixture, stub, session, responses async throws in
            let client = try await fixture.http2()
            responses.put(plain(document(session)))
            let response = try await client.request("/open/login", method: "POST", body: Array("{}".utf8))
            #expect(response.status == 200 && response.body.text == document(session))
            try await expectRefresh(fixture, stub, session)
        }
    }

    /// The new token is due as well and refreshed in the background.
    @Test func rotatedRefreshTokenIsUsedNext() async throws {
        try await withVault("within: 2h") { fixture, stub, session, responses async throws in
            responses.put(plain(document(session)))
            _ = try await signIn(fixture)
            try await expectRefresh(fixture, stub, session)
            #expect(try await fixture.request("/y", token: session.new).status == 200)
            // The sign-in, a replayed request, a last one, and two refreshes.
            for _ in 0..<6 { _ = try await fixture.backend.arrivals.next() }
            let expected = [session.oldRefresh, session.newRefresh].map { #"{"refresh_token":"\#($0)"}"# }
            #expect(fixture.refreshCalls.map(\.body.text) == expected)
        }
    }

    @Test func newSignInReplacesCapturedToken() async throws {
        try await withVault { fixture, stub, session, responses async throws in
            let first = document(session).replacing(
                session.oldRefresh,
                with: fixture.keepSecret("refresh-zero-77665544")
            )
            responses.put(plain(first))
            _ = try await signIn(fixture)
            responses.put(plain(document(session)))
            _ = try await signIn(fixture)
            try await expectRefresh(fixture, stub, session)
        }
    }

    // MARK: Responses without tokens

    @Test(arguments: ["not json", "other members", "null", "empty", "failure", "foreign token", "too large"])
    func responsesWithoutTokenPassUnchanged(_ kind: String) async throws {
        try await withVault { fixture, stub, session, responses async throws in
            let document =
                switch kind {
                case "not json": "{ \(document(session))"
                case "other members": #"{"access_token":"\#(session.old)","refresh_token":"x"}"#
                case "null": #"{"access_token":"\#(session.old)","data":{"refresh":null}}"#
                case "empty": ""
                case "foreign token": #"{"access_token":"a.b.c","data":{"refresh":"\#(session.oldRefresh)"}}"#
                case "too large": document(session, filling: 100_000)
                default: document(session)
                }
            responses.put(plain(document, status: kind == "failure" ? "400 Bad Request" : "200 OK"))
            let response = try await signIn(fixture)
            #expect(response.status == (kind == "failure" ? 400 : 200))
            #expect(response.body.text == document)
            try await expectNone(fixture, stub, session)
        }
    }

    @Test func vaultWithoutSignInDoesNotRefresh() async throws {
        try await withVault { fixture, stub, session, _ async throws in
            try await expectNone(fixture, stub, session)
            let line = try await fixture.accessLog.next()
            #expect(line["refresh_reason"] == "no_refresh_token" && line["refreshed"] == false)
        }
    }

    /// The 401 is held for a refresh without a refresh token, and passed on.
    @Test func unauthorizedOnCapturePathIsPassedOn() async throws {
        try await withEndedSession(Self.setup(path: "/login")) { fixture, _, session async throws in
            let client = try await fixture.connect()
            for _ in 0..<2 {
                let response = try await client.request(fixture.head("/login", token: session.old))
                expectBackendsRefusal(response)
                expectNothingDelivered(response)
            }
        }
    }

    @Test func otherPathsAreNotCaptured() async throws {
        let more = Gate("the rest of the answer")
        let good = BackendScript { exchange in
            try await exchange.body()
            try await exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none")
            try await more.passed()
            try await exchange.send("two")
        }
        try await withStub(Self.setup(), otherwise: good) { fixture, _ async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/other", fields: ["Accept-Encoding: gzip"]))
            let head = try await client.head()
            // It is streamed.
            #expect(try await client.piece()?.text == "one")
            more.open()
            #expect(head.status == 200)
            #expect(try await client.piece()?.text == "two")
            #expect(fixture.backend.requests.first?.fields["Accept-Encoding"] == ["gzip"])
        }
    }
}
