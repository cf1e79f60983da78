import Testing

/// `limits` and `timeouts` of a backend: excess requests are refused at once and do not affect others.
@Suite struct PoolLimitTests {
    private static func held(until gate: Gate) -> BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            if exchange.head.path.hasPrefix("/open/held") { try await gate.passed() }
            try await exchange.sendOK()
        }
    }

    @Test func requestOverConnectionLimitIsRefusedAtOnce() async throws {
        let gate = Gate("the held requests may be answered")
        let setup = GatewaySetup(
            tenant: "backend: { servers: [\"{backend}\"], limits: { connections: 3, pending: 0 } }"
        )
        try await withGateway(setup, backend: Self.held(until: gate)) { fixture async throws in
            var clients: [RawClient] = []
            for _ in 0..<3 {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/held"))
                _ = try await fixture.backend.arrivals.next()
                clients.append(client)
            }
            for method in ["GET", "POST"] {
                let refused = try await fixture.request("/open/x", method: method)
                expectRefusal(refused, 503, "overloaded")
                #expect(refused.fields["Retry-After"].count == 1)
            }
            gate.open()
            for client in clients { #expect(try await client.response().status == 200) }
            #expect(try await fixture.request("/open/x").status == 200)
            #expect(fixture.backend.connections == 3)
        }
    }

    @Test func limitsApplyPerServer() async throws {
        let gate = Gate("the held requests may be answered")
        let script = { (_: Int) in Self.held(until: gate) }
        let keys = "limits: { connections: 1, pending: 0 }"
        try await withFleet(2, keys, script: script) { fixture, fleet async throws in
            var clients: [RawClient] = []
            for index in 0..<2 {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/held/\(index)"))
                clients.append(client)
            }
            for server in fleet.servers { _ = try await server.arrivals.next() }
            expectRefusal(try await fixture.request("/open/x"), 503, "overloaded")
            gate.open()
            for client in clients { #expect(try await client.response().status == 200) }
        }
    }

    @Test func waitingRequestsAreServedInOrder() async throws {
        let gate = Gate("the held request may be answered")
        let setup = GatewaySetup(
            tenant: "backend: { servers: [\"{backend}\"], limits: { connections: 1, pending: 8 } }"
        )
        try await withGateway(setup, backend: Self.held(until: gate)) { fixture async throws in
            let held = try await fixture.connect()
            try await held.send(fixture.head("/open/held"))
            _ = try await fixture.backend.arrivals.next()
            var waiting: [RawClient] = []
            for number in 0..<8 {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/\(number)"))
                // It is queued once the gateway has answered a later request.
                #expect(try await fixture.request("/refused").status == 401)
                waiting.append(client)
            }
            expectRefusal(try await fixture.request("/open/x"), 503, "overloaded")
            gate.open()
            for client in [held] + waiting { #expect(try await client.response().status == 200) }
            #expect(fixture.backend.requests.map(\.target) == ["/open/held"] + (0..<8).map { "/open/\($0)" })
        }
    }

    @Test func cancelledWaitingRequestFreesItsSlot() async throws {
        let gate = Gate("the held request may be answered")
        let setup = GatewaySetup(
            tenant: "backend: { servers: [\"{backend}\"], limits: { connections: 1, pending: 1 } }"
        )
        try await withGateway(setup, backend: Self.held(until: gate)) { fixture async throws in
            let held = try await fixture.connect()
            try await held.send(fixture.head("/open/held"))
            _ = try await fixture.backend.arrivals.next()
            let waiting = try await fixture.connect()
            try await waiting.send(fixture.head("/open/given-up"))
            #expect(try await fixture.request("/refused").status == 401)
            expectRefusal(try await fixture.request("/open/x"), 503, "overloaded")
            try await waiting.reset()
            #expect(try await fixture.request("/refused").status == 401)
            let next = try await fixture.connect()
            try await next.send(fixture.head("/open/next"))
            #expect(try await fixture.request("/refused").status == 401)
            gate.open()
            #expect(try await held.response().status == 200)
            #expect(try await next.response().status == 200)
            #expect(fixture.backend.requests.map(\.target) == ["/open/held", "/open/next"])
        }
    }

    @Test func stuckBackendDoesNotAffectOtherTenants() async throws {
        let gate = Gate("the stuck backend goes on")
        let setup = GatewaySetup(
            tenant: "backend: { servers: [\"{backend}\"], limits: { connections: 4, pending: 16 } }",
            others: """
                neighbour:
                  hosts: [neighbour.test]
                  backend: { servers: ["{other}"], limits: { connections: 4, pending: 16 } }
                  authenticate: { from: [bearer], issuers: [ { issuer: "https://id.test", audiences: [app], \
                algorithms: [RS256], jwks_file: "{jwks}" } ] }
                  access: [ { path: /open/**, allow: anyone } ]
                """
        )
        try await withGateway(setup, backend: Self.held(until: gate)) { fixture async throws in
            var stuck: [RawClient] = []
            for number in 0..<20 {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/held/\(number)"))
                stuck.append(client)
            }
            for _ in 0..<4 { _ = try await fixture.backend.arrivals.next() }
            // All connections of app are in use; its neighbour is not affected.
            expectRefusal(try await fixture.request("/open/x"), 503, "overloaded")
            let served = try await withThrowingTaskGroup(of: Int.self) { group async throws in
                for _ in 0..<4 {
                    group.addTask {
                        let client = try await fixture.connect()
                        for _ in 0..<25 {
                            try await client.send(fixture.head("/open/x", host: "neighbour.test"))
                            guard try await client.response().status == 200 else { return 0 }
                        }
                        return 25
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(served == 100)
            #expect(fixture.backend.requests.count == 4)
            gate.open()
            for client in stuck { #expect(try await client.response().status == 200) }
        }
    }
}
