import Testing
import Verification

/// Responses to a handshake: a valid 101, or an ordinary response. Nothing else reaches the client.
@Suite struct TunnelResponseTests {
    /// A client would take this for the response to its next request.
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
    func invalid101IsBadGateway(_ response: String) async throws {
        try await withGateway(backend: .response(response + Self.behind)) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/socket", fields: Handshake.fields + ["Connection: close"]))
            expectRefusal(try await client.response(), 502, "backend_unavailable", response)
            #expect(try await client.untilClosed() == [])
        }
    }

    @Test func unrequested101IsBadGateway() async throws {
        try await withGateway(backend: .response(Handshake.granted() + Self.behind)) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/x", fields: ["Connection: close"]))
            expectRefusal(try await client.response(), 502, "backend_unavailable")
            #expect(try await client.untilClosed() == [])
        }
    }

    @Test func refusalOfBackendIsPassedOn() async throws {
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
            let response = try await client.request(fixture.head("/open/socket", fields: Handshake.fields))
            #expect(response.status == 403 && response.body.text == "full")
            #expect(response.fields["X-Reason"] == ["full"])
            // Both connections go on.
            #expect(try await client.request(fixture.head("/open/x")).body.text == "ok")
            #expect(fixture.backend.connections == 1)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    ])
    func backendWithoutWebSocketsAnswersNormally(_ answer: String) async throws {
        try await withGateway(backend: .response(answer)) { fixture async throws in
            let response = try await fixture.request("/open/socket", fields: Handshake.fields)
            #expect(response.status == 200 && response.body.text == "ok")
        }
    }

    @Test func closeDuringHandshakeIsBadGateway() async throws {
        try await withGateway(backend: .hangsUp) { fixture async throws in
            let response = try await fixture.request("/open/socket", fields: Handshake.fields)
            expectRefusal(response, 502, "backend_unavailable")
        }
    }

    @Test func silentBackendIsTimeout() async throws {
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

    @Test func interimResponseMayPrecede101() async throws {
        let script = BackendScript.responseThenWait(
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + Handshake.granted()
        )
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/socket", fields: Handshake.fields))
            #expect(try await client.head().status == 103)
            #expect(try await TunnelClient(client).response.status == 101)
            await client.close()
        }
    }

    @Test func http2OnlyServerTakesNoWebSockets() async throws {
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
