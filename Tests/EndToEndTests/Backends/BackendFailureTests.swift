import TestSupport
import Testing

/// What the client gets when the backend fails: 503 without a server, 502 for a broken answer, 504 for silence.
@Suite struct BackendFailureTests {
    @Test func aServerThatRefusesIsUnavailable() async throws {
        try await withGateway(GatewaySetup(tenant: "backend: { servers: [\"{nobody}\"] }")) { fixture async throws in
            let client = try await fixture.connect()
            for _ in 0..<3 {
                try await client.send(fixture.head("/open/x"))
                expectRefusal(try await client.response(), 503, "backend_unavailable")
            }
        }
    }

    @Test func aServerThatRefusesABodyIsUnavailable() async throws {
        try await withGateway(GatewaySetup(tenant: "backend: { servers: [\"{nobody}\"] }")) { fixture async throws in
            let raw = fixture.head("/open/x", method: "POST", fields: ["Content-Length: 5"]) + "hello"
            expectRefusal(try await fixture.send(raw, method: "POST"), 503, "backend_unavailable")
        }
    }

    @Test func anotherServerTakesOver() async throws {
        let setup = GatewaySetup(tenant: "backend: { servers: [\"{nobody}\", \"{backend}\"] }")
        try await withGateway(setup) { fixture async throws in
            for _ in 0..<6 {
                #expect(try await fixture.request("/open/x").status == 200)
            }
            #expect(fixture.backend.requests.count == 6)
        }
    }

    @Test func requestsAreSharedBetweenServers() async throws {
        let setup = GatewaySetup(tenant: "backend: { servers: [\"{backend}\", \"{other}\"] }")
        try await withGateway(setup) { fixture async throws in
            for _ in 0..<20 {
                #expect(try await fixture.request("/open/x").status == 200)
            }
            #expect(fixture.backend.requests.count + fixture.other.requests.count == 20)
            #expect(!fixture.backend.requests.isEmpty && !fixture.other.requests.isEmpty)
        }
    }

    @Test func aConnectionClosedBeforeTheAnswerIsABadGateway() async throws {
        let script = BackendScript { exchange in
            try await exchange.body()
            await exchange.close()
        }
        try await withGateway(backend: script) { fixture async throws in
            expectRefusal(try await fixture.request("/open/x"), 502, "backend_unavailable")
        }
    }

    @Test func aConnectionResetBeforeTheAnswerIsABadGateway() async throws {
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.reset()
        }
        try await withGateway(backend: script) { fixture async throws in
            let raw = fixture.head("/open/x", method: "POST", fields: ["Content-Length: 5"]) + "hello"
            expectRefusal(try await fixture.send(raw, method: "POST"), 502, "backend_unavailable")
            #expect(fixture.backend.requests.count == 1)
        }
    }

    private static let garbled: [(String, String)] = [
        ("no HTTP", "this is not HTTP\r\n\r\n"),
        ("a cut head", "HTTP/1.1 200 OK\r\nContent-Le"),
        ("a status of two digits", "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n"),
        ("a status that is no number", "HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n"),
        ("another major version", "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n"),
        ("two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"),
        ("a malformed length", "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nhello"),
        ("both framings", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ("an unknown coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello"),
        ("obs-fold", "HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\nContent-Length: 0\r\n\r\n"),
        ("a space before the colon", "HTTP/1.1 200 OK\r\nX-A : b\r\nContent-Length: 0\r\n\r\n"),
        ("no colon", "HTTP/1.1 200 OK\r\nX-A\r\nContent-Length: 0\r\n\r\n"),
        ("NUL in a value", "HTTP/1.1 200 OK\r\nX-A: b\u{0}c\r\nContent-Length: 0\r\n\r\n"),
        ("a bare CR in a value", "HTTP/1.1 200 OK\r\nX-A: b\rX-Evil: c\r\nContent-Length: 0\r\n\r\n"),
        ("an endless field", "HTTP/1.1 200 OK\r\nX-A: " + String(repeating: "a", count: 1 << 20)),
    ]

    @Test func aGarbledHeadIsABadGateway() async throws {
        for (name, raw) in Self.garbled {
            try await withGateway(backend: .answersAndCloses(raw)) { fixture async throws in
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/x"))
                expectRefusal(try await client.response(), 502, "backend_unavailable", name)
            }
        }
    }

    @Test func aSplitAnswerDoesNotReachTheNextClient() async throws {
        // The second answer was never asked for; were the connection used again, it would answer the next request.
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.send(answer + "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison")
        }
        try await withGateway(backend: script) { fixture async throws in
            for _ in 0..<5 {
                let response = try await fixture.request("/open/x")
                #expect(response.body.text == "ok")
            }
        }
    }

    private static let truncated: [(String, String)] = [
        ("a length", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"),
        ("a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nhello"),
        ("chunks without an end", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
        ("trailers without an end", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-T: 1\r\n"),
        (
            "malformed chunks",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloXX5\r\nhello\r\n0\r\n\r\n"
        ),
    ]

    @Test func aTruncatedAnswerNeverEndsCleanly() async throws {
        for (name, raw) in Self.truncated {
            try await withGateway(backend: .answersAndCloses(raw)) { fixture async throws in
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/x"))
                do {
                    let response = try await client.response()
                    #expect(response.status == 502, "\(name): it ended cleanly")
                } catch let error as NothingCame {
                    throw error
                } catch {
                    // Cut, as the backend was.
                }
            }
        }
    }

    @Test func aTruncatedAnswerToAnHTTP10ClientIsCutByReset() async throws {
        // Without a length only a reset tells the client that something is missing.
        let raw = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
        try await withGateway(backend: .answersAndCloses(raw)) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send("GET /open/x HTTP/1.0\r\nHost: app.test\r\n\r\n")
            await #expect(throws: (any Error).self) {
                let response = try await client.response()
                if response.status == 502 { throw EndOfStream() }
            }
        }
    }

    @Test func silenceIsATimeout() async throws {
        let over = Gate("the test is over")
        let script = BackendScript { exchange in
            try await exchange.body()
            try await over.passed()
        }
        let setup = GatewaySetup(tenant: "backend: { servers: [\"{backend}\"], timeouts: { response: 300ms } }")
        try await withGateway(setup, backend: script) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/x"))
            expectRefusal(try await client.response(), 504, "backend_timeout")
            over.open()
            #expect(fixture.backend.requests.count == 1)
        }
    }

    @Test func silenceInTheMiddleOfAnAnswerCutsIt() async throws {
        let over = Gate("the test is over")
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            try await over.passed()
        }
        let setup = GatewaySetup(tenant: "backend: { servers: [\"{backend}\"], timeouts: { idle: 300ms } }")
        try await withGateway(setup, backend: script) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/x"))
            #expect(try await client.untilClosed().text.hasSuffix("hello"))
            over.open()
        }
    }

    @Test func theBackendsOwnErrorsPassUntouched() async throws {
        let body = "{\"error\":\"mine\"}"
        for status in [400, 401, 403, 404, 409, 429, 500, 502, 503, 504] {
            let fields = "Content-Type: application/json\r\nWWW-Authenticate: Bearer realm=\"theirs\"\r\n"
            let raw = "HTTP/1.1 \(status) Mine\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            try await withGateway(backend: .answers(raw)) { fixture async throws in
                let response = try await fixture.request("/x", token: try fixture.token())
                #expect(response.status == status)
                #expect(response.body.text == body)
                #expect(response.fields["WWW-Authenticate"] == ["Bearer realm=\"theirs\""])
            }
        }
    }
}
