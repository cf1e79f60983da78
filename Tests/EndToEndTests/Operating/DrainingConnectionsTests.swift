import Testing

/// Shutting down, as connections of every kind see it.
@Suite struct DrainingConnectionsTests {
    private static func held(until gate: Gate) -> BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            if exchange.head.path.hasPrefix("/open/held") { try await gate.passed() }
            try await exchange.sendOK()
        }
    }

    /// Polls until the gateway is not ready.
    private func expectDraining(_ fixture: GatewayFixture) async throws {
        for _ in 0..<2000 where try await fixture.admin("/readyz").status == 503 { return }
        Issue.record("the gateway is still ready")
    }

    /// Expects a GOAWAY without error before the connection ends.
    private func expectGoAway(_ client: HTTP2Client) async throws {
        while try await client.event(on: 0) != nil {}
        #expect(await client.lastGoAway?.code == .noError)
    }

    @Test func requestsUnderWayOverHTTP2AreFinished() async throws {
        let gate = Gate("draining has begun")
        let setup = GatewaySetup.tls(gateway: "shutdown_grace: 60s")
        try await withTLSGateway(setup, backend: Self.held(until: gate)) { fixture async throws in
            let client = try await fixture.http2TLS()
            var streams: [Int] = []
            for number in 0..<3 { streams.append(try await client.open("/open/held/\(number)")) }
            for _ in streams { _ = try await fixture.backend.arrivals.next() }
            async let down: Void = fixture.shutdown()
            try await expectDraining(fixture)
            guard case .goAway(let last, .noError) = try await goAway(client) else {
                Issue.record("no GOAWAY")
                return
            }
            #expect(last >= streams[2])
            gate.open()
            for stream in streams { #expect(try await client.response(on: stream).status == 200) }
            try await expectGoAway(client)
            await down
        }
    }

    private func goAway(_ client: HTTP2Client) async throws -> HTTP2Event? {
        while let event = try await client.event(on: 0) {
            if case .goAway = event { return event }
        }
        return nil
    }

    @Test func streamAfterGoAwayIsNotServed() async throws {
        let gate = Gate("draining has begun")
        let setup = GatewaySetup(gateway: "shutdown_grace: 60s")
        try await withGateway(setup, backend: Self.held(until: gate)) { fixture async throws in
            let client = try await fixture.http2()
            let held = try await client.open("/open/held")
            _ = try await fixture.backend.arrivals.next()
            async let down: Void = fixture.shutdown()
            guard case .goAway(let last, .noError) = try await goAway(client) else {
                Issue.record("no GOAWAY")
                return
            }
            #expect(last == held)
            _ = try await client.open("/open/late")
            #expect(try await client.sync())
            gate.open()
            #expect(try await client.response(on: held).status == 200)
            try await expectGoAway(client)
            #expect(fixture.backend.requests.map(\.target) == ["/open/held"])
            await down
        }
    }

    @Test func uploadOverHTTP2IsFinished() async throws {
        try await withGateway(GatewaySetup(gateway: "shutdown_grace: 60s"), backend: .echo) { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", body: Array("first".utf8), end: false)
            _ = try await fixture.backend.heads.next()
            async let down: Void = fixture.shutdown()
            _ = try await goAway(client)
            try await client.sendBody(Array("other".utf8), on: stream)
            #expect(try await client.response(on: stream).body.text == "firstother")
            try await expectGoAway(client)
            await down
        }
    }

    @Test func idleConnectionsOfEveryKindAreClosedAtOnce() async throws {
        try await withTLSGateway(.tls(gateway: "shutdown_grace: 60s")) { fixture async throws in
            let silent = try await fixture.connect()
            let fresh = try await fixture.connectTLS()
            let used = try await fixture.connectTLS()
            #expect(try await used.request(fixture.head("/open/x")).status == 200)
            let http2 = try await fixture.http2TLS()
            #expect(try await http2.request("/open/x").status == 200)
            async let down: Void = fixture.shutdown()
            for client in [silent, fresh, used] { #expect(try await client.untilClosed() == []) }
            try await expectGoAway(http2)
            await down
        }
    }

    @Test func responseWhileDrainingClosesTLSConnection() async throws {
        let gate = Gate("draining has begun")
        // There is one event loop: once it closes the idle connection, it drains the other one too.
        let setup = GatewaySetup.tls(gateway: "shutdown_grace: 60s")
        try await withTLSGateway(setup, backend: Self.held(until: gate)) { fixture async throws in
            let idle = try await fixture.connectTLS()
            #expect(try await idle.request(fixture.head("/open/x")).status == 200)
            _ = try await fixture.backend.arrivals.next()
            let client = try await fixture.connectTLS()
            try await client.send(fixture.head("/open/held"))
            _ = try await fixture.backend.arrivals.next()
            async let down: Void = fixture.shutdown()
            #expect(try await idle.untilClosed() == [])
            gate.open()
            let response = try await client.response()
            #expect(response.status == 200)
            #expect(response.fields.list("Connection") == ["close"])
            #expect(try await client.untilClosed() == [])
            await down
        }
    }

    @Test func streamsOverGraceAreCut() async throws {
        let over = Gate("the test is over")
        let setup = GatewaySetup(gateway: "shutdown_grace: 300ms")
        try await withGateway(setup, backend: Self.held(until: over)) { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/held")
            _ = try await fixture.backend.arrivals.next()
            await fixture.shutdown()
            if case .response(let response) = try await client.outcome(of: stream) {
                Issue.record("answered \(response.status)")
            }
            over.open()
        }
    }

    @Test func handshakeUnderWayDoesNotDelayShutdown() async throws {
        try await withTLSGateway(.tls(gateway: "shutdown_grace: 60s")) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])
            // It was read once the gateway has answered a later request.
            let other = try await fixture.connectTLS()
            #expect(try await other.request(fixture.head("/open/x")).status == 200)
            async let down: Void = fixture.shutdown()
            _ = try await client.untilClosed()
            await down
        }
    }

    @Test func pooledConnectionsAreClosed() async throws {
        try await withGateway { fixture async throws in
            #expect(try await fixture.request("/open/x").status == 200)
            await fixture.shutdown()
            #expect(try await fixture.backend.ends.next() == 0)
        }
        try await withHTTP2Backend({ call in try await call.respond() }) { fixture, backend async throws in
            #expect(try await fixture.request("/open/x").status == 200)
            await fixture.shutdown()
            #expect(try await backend.ends.next() == 0)
        }
    }
}
