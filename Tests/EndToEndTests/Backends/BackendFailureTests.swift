import TestSupport
import Testing

/// What the client gets when the backend fails: 503 without a server, 502 for an invalid response, 504 for silence.
@Suite struct BackendFailureTests {
    @Test func refusedConnectionWithBodyIsUnavailable() async throws {
        try await withGateway(GatewaySetup(tenant: "backend: { servers: [\"{nobody}\"] }")) { fixture async throws in
            let raw = fixture.head("/open/x", method: "POST", fields: ["Content-Length: 5"]) + "hello"
            expectRefusal(try await fixture.send(raw, method: "POST"), 503, "backend_unavailable")
        }
    }

    @Test func closeBeforeResponseIsBadGateway() async throws {
        try await withGateway(backend: .hangsUp) { fixture async throws in
            expectRefusal(try await fixture.request("/open/x"), 502, "backend_unavailable")
        }
    }

    @Test func surplusResponseNeverReachesNextClient() async throws {
        // The second response is unsolicited; if the connection were reused, the next client would get it.
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

    @Test func truncatedResponseToHTTP10ClientIsReset() async throws {
        // Without a length only a reset shows the client that something is missing.
        let raw = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
        try await withGateway(backend: .responseThenClose(raw)) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send("GET /open/x HTTP/1.0\r\nHost: app.test\r\n\r\n")
            await #expect(throws: (any Error).self) {
                let response = try await client.response()
                if response.status == 502 { throw EndOfStream() }
            }
        }
    }

    @Test func backendsErrorsPassUnchanged() async throws {
        let body = "{\"error\":\"mine\"}"
        for status in [400, 401, 403, 404, 409, 429, 500, 502, 503, 504] {
            let fields = "Content-Type: application/json\r\nWWW-Authenticate: Bearer realm=\"theirs\"\r\n"
            let raw = "HTTP/1.1 \(status) Mine\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            try await withGateway(backend: .response(raw)) { fixture async throws in
                let response = try await fixture.request("/x", token: try fixture.token())
                #expect(response.status == status)
                #expect(response.body.text == body)
                #expect(response.fields["WWW-Authenticate"] == ["Bearer realm=\"theirs\""])
            }
        }
    }
}
