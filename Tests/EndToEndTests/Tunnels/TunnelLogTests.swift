import Testing
import Verification

/// A tunnel is one line in the access log, written when it is over.
@Suite struct TunnelLogTests {
    @Test func tunnelIsLoggedAtEndWithBytesSent() async throws {
        let upstream = TunnelBackend()
        try await withGateway(backend: upstream.script) { fixture async throws in
            try await fixture.withTunnel(upstream, "/socket?room=7", token: try fixture.token()) {
                tunnel async throws in
                try await tunnel.client.send(.fromClient("this way is not counted"))
                _ = try await tunnel.server.frame()
                let frame = WebSocketFrame(.binary, [UInt8](repeating: 1, count: 1000))
                for _ in 0..<5 { try await tunnel.server.send(frame) }
                for _ in 0..<5 { #expect(try await tunnel.client.frame() == frame) }
                // Another request's line comes first: the tunnel is not over.
                _ = try await fixture.request("/open/x")
                #expect(try await fixture.accessLog.next()["path"] == "/open/x")
                await tunnel.client.close()
                let line = try await fixture.accessLog.next()
                #expect(line["path"] == "/socket")
                #expect(line["method"] == "GET")
                #expect(line["status"] == 101)
                #expect(line["bytes"] == .number(JSONNumber(5 * frame.bytes.count)))
                #expect(line["subject"] == "alice")
                #expect(line["outcome"] == "granted")
                #expect(line["server"]?.string?.contains(":\(fixture.backend.port)") == true)
            }
        }
    }

    @Test func expiredTunnelIsLogged() async throws {
        let setup = GatewaySetup(
            tenant: """
                authenticate:
                  from: [bearer]
                  issuers:
                    - { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" }
                  leeway: 0s
                """
        )
        let upstream = TunnelBackend()
        try await withGateway(setup, backend: upstream.script) { fixture async throws in
            let token = try fixture.token(["exp": TestIssuer.fromNow(3)])
            try await fixture.withTunnel(upstream, "/socket", token: token) { tunnel async throws in
                #expect(try await tunnel.client.frame()?.closeCode == 1008)
                let line = try await fixture.accessLog.next()
                #expect(line["status"] == 101)
                #expect(line["subject"] == "alice")
            }
        }
    }

    @Test func refusedHandshakeIsLoggedWithStatus() async throws {
        try await withGateway(backend: TunnelBackend().script) { fixture async throws in
            _ = try await fixture.request("/open/socket", fields: Handshake.fields(without: "Sec-WebSocket-Version"))
            #expect(try await fixture.accessLog.next()["status"] == 426)
            _ = try await fixture.request("/socket", fields: Handshake.fields)
            let line = try await fixture.accessLog.next()
            #expect(line["status"] == 401)
            #expect(line["outcome"] == "missing_token")
        }
    }

    @Test func tunnelIsCountedOnce() async throws {
        let upstream = TunnelBackend()
        try await withGateway(backend: upstream.script) { fixture async throws in
            try await fixture.withTunnel(upstream) { tunnel async throws in
                try await tunnel.expectOpen()
                await tunnel.client.close()
                _ = try await fixture.accessLog.next()
            }
            let metrics = try Metrics(try await fixture.admin("/metrics").body.text)
            #expect(metrics.value("gatehouse_requests_total", ["tenant": "app", "status": "101"]) == 1)
        }
    }
}
