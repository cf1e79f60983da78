import Testing
import Verification

/// A tunnel ends with either of its connections, and leaves nothing behind.
@Suite struct TunnelEndTests {
    private static let close = WebSocketFrame(.close, [0x0f, 0xa1] + Array("done".utf8))

    // MARK: By one of the ends

    @Test func closingHandshakePassesUnchanged() async throws {
        try await withTunnel { tunnel async throws in
            let fromClient = WebSocketFrame(.close, Self.close.payload, mask: [9, 8, 7, 6])
            try await tunnel.client.send(fromClient)
            #expect(try await tunnel.server.frame() == fromClient)
            try await tunnel.server.send(Self.close)
            #expect(try await tunnel.client.frame() == Self.close)
            // The server closes first (RFC 6455 section 7.1.1).
            await tunnel.server.close()
            #expect(try await tunnel.client.frame() == nil)
        }
    }

    @Test func clientsLastFramesArriveBeforeClose() async throws {
        try await withTunnel { tunnel async throws in
            try await tunnel.client.send(.fromClient("last"))
            await tunnel.client.close()
            #expect(try await tunnel.server.frame() == .fromClient("last"))
            #expect(try await tunnel.server.frame() == nil)
        }
    }

    @Test func backendsLastFramesArriveBeforeClose() async throws {
        try await withTunnel { tunnel async throws in
            try await tunnel.server.send(.fromServer("last"))
            await tunnel.server.close()
            #expect(try await tunnel.client.frame() == .fromServer("last"))
            #expect(try await tunnel.client.frame() == nil)
        }
    }

    @Test func clientResetEndsBackendSide() async throws {
        try await withTunnel { tunnel async throws in
            try await tunnel.expectOpen()
            try await tunnel.client.reset()
            #expect(try await tunnel.server.bytes.rest() == [])
        }
    }

    @Test func backendResetEndsClientSide() async throws {
        try await withTunnel { tunnel async throws in
            try await tunnel.expectOpen()
            try await tunnel.server.reset()
            #expect(try await tunnel.client.bytes.rest() == [])
        }
    }

    @Test func clientDisconnectBefore101EndsBackendSide() async throws {
        try await withGateway(backend: .silent) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/socket", fields: Handshake.fields))
            _ = try await fixture.backend.arrivals.next()
            await client.close()
            _ = try await fixture.backend.ends.next()
            #expect(try await fixture.accessLog.next()["status"] == 499)
        }
    }

    @Test func tunnelConnectionIsNotReused() async throws {
        let upstream = TunnelBackend()
        try await withGateway(backend: upstream.script) { fixture async throws in
            try await fixture.withTunnel(upstream) { tunnel async throws in
                try await tunnel.expectOpen()
                await tunnel.client.close()
                #expect(try await tunnel.server.frame() == nil)
            }
            #expect(try await fixture.request("/open/x").status == 200)
            #expect(fixture.backend.connections == 2)
        }
    }

    @Test func tunnelCountsAgainstConnectionLimit() async throws {
        let limits = "limits: { connections: 1, pending: 0 }"
        let setup = GatewaySetup(tenant: "backend: { servers: [\"{backend}\"], \(limits) }")
        let upstream = TunnelBackend()
        try await withGateway(setup, backend: upstream.script) { fixture async throws in
            try await fixture.withTunnel(upstream) { tunnel async throws in
                expectRefusal(try await fixture.request("/open/x"), 503, "overloaded")
                await tunnel.client.close()
                _ = try await tunnel.server.bytes.rest()
            }
            _ = try await fixture.backend.ends.next()
            var status = 503
            for _ in 0..<1000 where status == 503 { status = try await fixture.request("/open/x").status }
            #expect(status == 200)
        }
    }

    // MARK: By the gateway

    @Test func idleTunnelEnds() async throws {
        let setup = GatewaySetup(tenant: "backend: { servers: [\"{backend}\"], timeouts: { idle: 500ms } }")
        try await withTunnel(setup) { tunnel async throws in
            #expect(try await tunnel.client.bytes.rest() == [])
            #expect(try await tunnel.server.bytes.rest() == [])
        }
    }

    @Test(arguments: [true, false])
    func framesOfOneSideKeepTunnelAlive(_ isClient: Bool) async throws {
        let timeouts = "timeouts: { response: 3s, idle: 10s }"
        let setup = GatewaySetup(
            gateway: "limits: { idle_timeout: 3s }",
            tenant: "backend: { servers: [\"{backend}\"], \(timeouts) }"
        )
        try await withTunnel(setup) { tunnel async throws in
            let start = ContinuousClock.now
            while start.duration(to: .now) < .seconds(11) {
                if isClient {
                    try await tunnel.client.send(.fromClient("tick"))
                    #expect(try await tunnel.server.frame() == .fromClient("tick"))
                } else {
                    try await tunnel.server.send(.fromServer("tick"))
                    #expect(try await tunnel.client.frame() == .fromServer("tick"))
                }
            }
            try await tunnel.expectOpen()
        }
    }

    @Test func shutdownClosesBothEnds() async throws {
        try await withTunnel(GatewaySetup(gateway: "shutdown_grace: 30s")) { tunnel async throws in
            try await tunnel.expectOpen()
            let fixture = tunnel.fixture
            async let down: Void = fixture.shutdown()
            let toClient = try #require(try await tunnel.client.frame())
            #expect(toClient.closeCode == 1001 && toClient.mask == nil)
            let toServer = try #require(try await tunnel.server.frame())
            #expect(toServer.closeCode == 1001 && toServer.mask != nil)
            #expect(try await tunnel.client.frame() == nil)
            #expect(try await tunnel.server.frame() == nil)
            // Returns within the grace, as nothing is left to wait for.
            await down
        }
    }

    @Test func tunnelOpenedDuringShutdownIsClosedAtOnce() async throws {
        let responses = Gate("shutting down has begun")
        let script = BackendScript { exchange in
            try await exchange.body()
            try await responses.passed()
            try await exchange.send(Handshake.granted())
            try await exchange.gone()
            await exchange.close()
        }
        try await withGateway(GatewaySetup(gateway: "shutdown_grace: 30s"), backend: script) { fixture async throws in
            let idle = try await fixture.connect()
            #expect(try await idle.request(fixture.head("/nowhere")).status == 401)
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/socket", fields: Handshake.fields))
            _ = try await fixture.backend.arrivals.next()
            async let down: Void = fixture.shutdown()
            // An idle connection is closed when the draining begins.
            try await idle.untilClosed()
            responses.open()
            let end = try await TunnelClient(client)
            #expect(try await end.frame()?.closeCode == 1001)
            #expect(try await end.frame() == nil)
            await down
        }
    }
}
