import Testing

/// Connections over four event loops, some of which are served on another loop than the one that accepted them.
@Suite struct LoopSpreadTests {
    private static let loops = 4

    private func withLoops(
        gateway: String = "",
        tenant: String = "",
        backend: BackendScript = .ok,
        _ body: (GatewayFixture) async throws -> Void
    ) async throws {
        let setup = GatewaySetup(gateway: "threads: \(Self.loops)\n\(gateway)", tenant: tenant)
        try await withGateway(setup, backend: backend, body)
    }

    /// Each loop has a fourth of the connections to the server: one with 19 clients or more would refuse some.
    @Test func clientsAreSharedEvenlyByLoops() async throws {
        let gate = Gate("the held requests may be answered")
        let limits = "backend: { servers: [\"{backend}\"], limits: { connections: \(18 * Self.loops), pending: 0 } }"
        try await withLoops(tenant: limits, backend: .ok(after: gate, at: "/open/held")) { fixture async throws in
            var clients: [RawClient] = []
            for _ in 0..<64 {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/held"))
                _ = try await fixture.backend.arrivals.next()
                clients.append(client)
            }
            gate.open()
            for client in clients { #expect(try await client.response().status == 200) }
        }
    }

    @Test func processLimitHoldsForAllLoopsTogether() async throws {
        try await withLoops(gateway: "limits: { connections: 12 }") { fixture async throws in
            var clients: [RawClient] = []
            for _ in 0..<12 {
                let client = try await fixture.connect()
                #expect(try await client.request(fixture.head("/open/x")).status == 200)
                clients.append(client)
            }
            let refused = try await fixture.connect()
            expectRefusal(try await refused.request(fixture.head("/open/x")), 503, "overloaded")
            for client in clients { #expect(try await client.request(fixture.head("/open/x")).status == 200) }
            for client in clients { await client.close() }
            _ = try await fixture.metrics { $0.value("gatehouse_connections", ["state": "open"]) == 0 }
            #expect(try await fixture.request("/open/x").status == 200)
        }
    }

    @Test func sourceFromProxyReachesLoopThatServes() async throws {
        try await withLoops(gateway: "trusted_proxies: [127.0.0.1/32]") { fixture async throws in
            var clients: [RawClient] = []
            for _ in 0..<24 {
                let client = try await fixture.connect()
                #expect(try await client.request(ProxyHeader.line4 + Array(fixture.head("/open/x").utf8)).status == 200)
                #expect(try await fixture.backend.arrivals.next().fields["X-Forwarded-For"] == ["203.0.113.9"])
                clients.append(client)
            }
            for client in clients { #expect(try await client.request(fixture.head("/open/x")).status == 200) }
        }
    }

    @Test func handshakesEndOnLoopThatServes() async throws {
        try await withTLSGateway(.tls(gateway: "threads: \(Self.loops)")) { fixture async throws in
            var clients: [RawClient] = []
            for _ in 0..<24 {
                let client = try await fixture.connectTLS()
                #expect(try await client.request(fixture.head("/open/x")).status == 200)
                clients.append(client)
            }
            for client in clients { #expect(try await client.request(fixture.head("/open/x")).status == 200) }
            // The gateway closes them together; a client waits for its end of TLS for seconds.
            await fixture.shutdown()
        }
    }

    @Test func requestsOnEveryLoopAreFinishedWhileDraining() async throws {
        let gate = Gate("draining has begun")
        let script = BackendScript.ok(after: gate, at: "/open/held")
        try await withLoops(gateway: "shutdown_grace: 30s", backend: script) { fixture async throws in
            var clients: [RawClient] = []
            for _ in 0..<24 {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/held"))
                _ = try await fixture.backend.arrivals.next()
                clients.append(client)
            }
            async let down: Void = fixture.shutdown()
            for _ in 0..<2000 {
                if try await fixture.admin("/readyz").status == 503 { break }
            }
            gate.open()
            for client in clients {
                #expect(try await client.response().status == 200)
                #expect(try await client.untilClosed() == [])
            }
            await down
        }
    }
}
