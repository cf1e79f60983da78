import Testing

/// Shutting down: nothing new is accepted, requests under way are finished within `shutdown_grace`.
@Suite struct DrainingTests {
    private static func held(until gate: Gate) -> BackendScript {
        BackendScript.ok(after: gate, at: "/open/held")
    }

    /// Polls until the gateway is not ready.
    private func drainingHasBegun(_ fixture: GatewayFixture) async throws -> Bool {
        for _ in 0..<2000 {
            if try await fixture.admin("/readyz").status == 503 { return true }
        }
        return false
    }

    @Test func responseUnderWayIsFinishedAndConnectionClosed() async throws {
        let gate = Gate("draining has begun")
        let setup = GatewaySetup(gateway: "shutdown_grace: 30s")
        try await withGateway(setup, backend: Self.held(until: gate)) { fixture async throws in
            let idle = try await fixture.connect()
            #expect(try await idle.request(fixture.head("/open/x")).status == 200)
            _ = try await fixture.backend.arrivals.next()
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/held"))
            _ = try await fixture.backend.arrivals.next()
            async let down: Void = fixture.shutdown()
            #expect(try await drainingHasBegun(fixture))
            // The event loop drains a little later than the admin listener.
            #expect(try await idle.untilClosed() == [])
            gate.open()
            let response = try await client.response()
            #expect(response.status == 200)
            #expect(response.body.text == "ok")
            #expect(response.fields.list("Connection") == ["close"])
            #expect(try await client.untilClosed() == [])
            await down
        }
    }

    @Test func newConnectionsAreRefusedWhileDraining() async throws {
        let gate = Gate("draining has begun")
        let setup = GatewaySetup(gateway: "shutdown_grace: 30s")
        try await withGateway(setup, backend: Self.held(until: gate)) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/held"))
            _ = try await fixture.backend.arrivals.next()
            async let down: Void = fixture.shutdown()
            #expect(try await drainingHasBegun(fixture))
            await #expect(throws: (any Error).self) {
                try await fixture.request("/open/x")
            }
            gate.open()
            #expect(try await client.response().status == 200)
            await down
        }
    }

    @Test func requestOverGraceIsCut() async throws {
        let gate = Gate("the test is over")
        let setup = GatewaySetup(gateway: "shutdown_grace: 300ms")
        try await withGateway(setup, backend: Self.held(until: gate)) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/held"))
            _ = try await fixture.backend.arrivals.next()
            await fixture.shutdown()
            let rest = try await client.untilClosed().text
            #expect(rest.isEmpty, "\(rest)")
            gate.open()
        }
    }

    @Test func uploadUnderWayIsFinished() async throws {
        let setup = GatewaySetup(gateway: "shutdown_grace: 30s")
        try await withGateway(setup, backend: .echo) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/x", method: "POST", fields: ["Content-Length: 10"]) + "first")
            _ = try await fixture.backend.heads.next()
            async let down: Void = fixture.shutdown()
            #expect(try await drainingHasBegun(fixture))
            #expect(try await client.request("other", method: "POST").body.text == "firstother")
            await down
        }
    }

    /// Load balancers poll now and then, and send requests until they see that it is not ready.
    @Test func requestsAreServedDuringShutdownDelay() async throws {
        let setup = GatewaySetup(gateway: "shutdown_delay: 1h")
        try await withGateway(setup) { fixture async throws in
            let open = try await fixture.connect()
            #expect(try await open.request(fixture.head("/open/x")).status == 200)
            let down = Task { await fixture.shutdown() }
            #expect(try await drainingHasBegun(fixture))
            let fresh = try await fixture.connect()
            for client in [open, fresh, open, fresh] {
                let response = try await client.request(fixture.head("/open/x"))
                #expect(response.status == 200)
                #expect(response.fields.list("Connection") == [])
            }
            // Cancelling the task ends the delay.
            down.cancel()
            for client in [open, fresh] { #expect(try await client.untilClosed() == []) }
            await down.value
        }
    }

    @Test func shuttingDownTwiceIsHarmless() async throws {
        try await withGateway { fixture async throws in
            await fixture.shutdown()
            await fixture.shutdown()
            await #expect(throws: (any Error).self) {
                try await fixture.request("/open/x")
            }
        }
    }
}
