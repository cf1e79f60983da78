import Testing
import Verification

/// What a backend may say to a handshake: a good 101, or an ordinary answer. Nothing else reaches the client.
@Suite struct TunnelAnswerTests {
    /// What a client would take for the answer to its next request, if it came through.
    private static let behind = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nsmuggled"

    private static let bad101s = [
        Handshake.granted(accept: "AAAAAAAAAAAAAAAAAAAAAAAAAAA="),
        Handshake.granted(accept: Handshake.accept.lowercased()),
        Handshake.granted(fields: "Sec-WebSocket-Accept: \(Handshake.accept)\r\n"),
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: \(Handshake.accept)\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: \(Handshake.accept)\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"
            + "Sec-WebSocket-Accept: \(Handshake.accept)\r\n\r\n",
    ]

    @Test(arguments: bad101s)
    func a101ThatGrantsNothingIsABrokenBackend(_ answer: String) async throws {
        try await withGateway(backend: .answers(answer + Self.behind)) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/socket", fields: Handshake.fields + ["Connection: close"]))
            expectRefusal(try await client.response(), 502, "backend_unavailable", answer)
            #expect(try await client.untilClosed() == [])
        }
    }

    @Test func a101ThatNobodyAskedForIsABrokenBackend() async throws {
        try await withGateway(backend: .answers(Handshake.granted() + Self.behind)) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/x", fields: ["Connection: close"]))
            expectRefusal(try await client.response(), 502, "backend_unavailable")
            #expect(try await client.untilClosed() == [])
        }
    }

    @Test func aBackendThatRefusesIsQuoted() async throws {
        let refusal = "HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\nX-Reason: full\r\n\r\nfull"
        let script = BackendScript { exchange in
            try await exchange.body()
            if exchange.head.path == "/open/socket" {
                try await exchange.send(refusal)
            } else {
                try await exchange.sendOK()
            }
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/socket", fields: Handshake.fields))
            let response = try await client.response()
            #expect(response.status == 403 && response.body.text == "full")
            #expect(response.fields["X-Reason"] == ["full"])
            // Both connections go on.
            try await client.send(fixture.head("/open/x"))
            #expect(try await client.response().body.text == "ok")
            #expect(fixture.backend.connections == 1)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    ])
    func aBackendWithoutWebSocketsAnswersAsEver(_ answer: String) async throws {
        try await withGateway(backend: .answers(answer)) { fixture async throws in
            let response = try await fixture.request("/open/socket", fields: Handshake.fields)
            #expect(response.status == 200 && response.body.text == "ok")
        }
    }

    @Test func aBackendThatHangsUpIsABrokenBackend() async throws {
        try await withGateway(backend: .hangsUp) { fixture async throws in
            let response = try await fixture.request("/open/socket", fields: Handshake.fields)
            expectRefusal(response, 502, "backend_unavailable")
        }
    }

    @Test func aBackendThatSaysNothingIsNotWaitedForLonger() async throws {
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.gone()
        }
        let setup = GatewaySetup(tenant: "backend: { servers: [\"{backend}\"], timeouts: { response: 300ms } }")
        try await withGateway(setup, backend: script) { fixture async throws in
            let response = try await fixture.request("/open/socket", fields: Handshake.fields)
            expectRefusal(response, 504, "backend_timeout")
        }
    }

    @Test func anInterimAnswerMayComeBeforeThe101() async throws {
        let script = BackendScript.answersAndWaits(
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + Handshake.granted()
        )
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/socket", fields: Handshake.fields))
            #expect(try await client.head().status == 103)
            #expect(try await TunnelClient(client).answer.status == 101)
            await client.close()
        }
    }

    @Test func aServerThatSpeaksHTTP2OnlyTakesNoWebSockets() async throws {
        let server = try await RecordingBackend.start(.ok)
        let setup = GatewaySetup(tenant: "backend: { servers: [\"h2c://127.0.0.1:\(server.port)\"] }")
        try await withGateway(setup) { fixture async throws in
            let response = try await fixture.request("/open/socket", fields: Handshake.fields)
            expectRefusal(response, 503, "backend_unavailable")
            #expect(server.connections == 0)
        }
        await server.stop()
    }
}
