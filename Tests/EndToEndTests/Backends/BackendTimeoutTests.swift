import Testing

/// `timeouts` of a backend, one at a time: the others are longer than any test.
@Suite struct BackendTimeoutTests {
    private static func setup(_ servers: String, _ timeouts: String) -> GatewaySetup {
        GatewaySetup(tenant: "backend: { servers: [\(servers)], timeouts: { \(timeouts) } }")
    }

    @Test func hangingServerIsPassedOver() async throws {
        let full = try BlackHole()
        let setup = Self.setup("\"{full}\", \"{backend}\"", "connect: 300ms, response: 60s, idle: 60s")
        try await withGateway(setup, values: ["full": "http://127.0.0.1:\(full.port)"]) { fixture async throws in
            for _ in 0..<20 {
                #expect(try await fixture.request("/open/x", method: "POST").status == 200)
            }
            #expect(fixture.backend.requests.count == 20)
            // After two failures it is ejected, so that not every caller waits for it.
            let metrics = try await fixture.metrics()
            #expect(metrics.value("gatehouse_backend_requests_total", ["outcome": "connect_failure"]) == 2)
        }
        withExtendedLifetime(full) {}
    }

    @Test func responseTimeoutStartsAtEndOfRequest() async throws {
        let over = Gate("the test is over")
        let setup = Self.setup("\"{backend}\"", "connect: 60s, response: 400ms, idle: 60s")
        try await withGateway(setup, backend: .ok(after: over, at: "/open/silent")) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/slow", method: "POST", fields: ["Content-Length: 3"]))
            _ = try await fixture.backend.heads.next()
            // Another request's timeout passes between the pieces of this body.
            for byte in ["a", "b", "c"] {
                expectRefusal(try await fixture.request("/open/silent"), 504, "backend_timeout")
                try await client.send(byte)
            }
            #expect(try await client.response(to: "POST").status == 200)
            over.open()
        }
    }

    @Test func unusedConnectionIsClosed() async throws {
        let setup = Self.setup("\"{backend}\"", "connect: 60s, response: 60s, idle: 200ms")
        try await withGateway(setup) { fixture async throws in
            for number in 0..<3 {
                #expect(try await fixture.request("/open/x").status == 200)
                #expect(try await fixture.backend.ends.next() == number)
            }
        }
    }
}
