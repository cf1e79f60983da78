import Testing

/// Shutting down: nothing new is accepted, what is under way is finished within `shutdown_grace`.
@Suite struct DrainingTests {
    private static func held(until gate: Gate) -> BackendScript {
        BackendScript.ok(after: gate, at: "/open/held")
    }

    /// Asks until the gateway says that it is not ready.
    private func drainingHasBegun(_ fixture: GatewayFixture) async throws -> Bool {
        for _ in 0..<2000 {
            if try await fixture.admin("/readyz").status == 503 { return true }
        }
        return false
    }

    @Test func anAnswerUnderWayIsFinishedAndTheConnectionClosed() async throws {
        let gate = Gate("draining has begun")
        let setup = GatewaySetup(gateway: "shutdown_grace: 30s")
        try await withGateway(setup, backend: Self.held(until: gate)) { fixture async throws in
            let idle = try await fixture.connect()
            try await idle.send(fixture.head("/open/x"))
            #expect(try await idle.response().status == 200)
            _ = try await fixture.backend.arrivals.next()
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/held"))
            _ = try await fixture.backend.arrivals.next()
            async let down: Void = fixture.shutdown()
            #expect(try await drainingHasBegun(fixture))
            // The event loop learns of it a little later than the admin listener.
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

    @Test func whatIsNotFinishedWithinTheGraceIsCut() async throws {
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

    @Test func anUploadUnderWayIsFinished() async throws {
        let setup = GatewaySetup(gateway: "shutdown_grace: 30s")
        try await withGateway(setup, backend: .echo) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/x", method: "POST", fields: ["Content-Length: 10"]) + "first")
            _ = try await fixture.backend.heads.next()
            async let down: Void = fixture.shutdown()
            #expect(try await drainingHasBegun(fixture))
            try await client.send("other")
            #expect(try await client.response(to: "POST").body.text == "firstother")
            await down
        }
    }

    /// Load balancers ask every now and then only, and send requests until they have heard that it is not ready.
    @Test func allIsServedDuringTheDelay() async throws {
        let setup = GatewaySetup(gateway: "shutdown_delay: 1h")
        try await withGateway(setup) { fixture async throws in
            let open = try await fixture.connect()
            try await open.send(fixture.head("/open/x"))
            #expect(try await open.response().status == 200)
            let down = Task { await fixture.shutdown() }
            #expect(try await drainingHasBegun(fixture))
            let fresh = try await fixture.connect()
            for client in [open, fresh, open, fresh] {
                try await client.send(fixture.head("/open/x"))
                let response = try await client.response()
                #expect(response.status == 200)
                #expect(response.fields.list("Connection") == [])
            }
            // The delay of a task that is cancelled is over.
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
