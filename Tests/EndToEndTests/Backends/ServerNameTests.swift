import Testing

/// Servers given by host name.
@Suite struct ServerNameTests {
    @Test func serverNameIsResolved() async throws {
        let backend = try await RecordingBackend.start(.ok)
        let setup = GatewaySetup(tenant: "backend: { servers: [\"http://localhost:\(backend.port)\"] }")
        try await withGateway(setup) { fixture async throws in
            for _ in 0..<5 { #expect(try await fixture.request("/open/x").status == 200) }
            #expect(backend.connections == 1)
            #expect(backend.requests.first?.fields["Host"] == ["app.test"])
            let label = "http://localhost:\(backend.port)"
            #expect(try await fixture.metrics().value("gatehouse_backend_healthy", ["server": label]) == 1)
        }
        await backend.stop()
    }

    @Test func unresolvableNameIsUnavailable() async throws {
        let setup = GatewaySetup(tenant: "backend: { servers: [\"http://nobody.invalid:9001\"] }")
        try await withGateway(setup) { fixture async throws in
            for method in ["GET", "POST"] {
                let response = try await fixture.request("/open/x", method: method)
                expectRefusal(response, 503, "backend_unavailable", method)
            }
            // The event loop goes on during the lookup.
            let waiting = try await fixture.connect()
            try await waiting.send(fixture.head("/open/x"))
            #expect(try await fixture.request("/refused").status == 401)
            #expect(try await waiting.response().status == 503)
        }
    }

    @Test func unresolvableServerIsPassedOver() async throws {
        let servers = "\"http://nobody.invalid:9001\", \"{backend}\""
        try await withGateway(GatewaySetup(tenant: "backend: { servers: [\(servers)] }")) { fixture async throws in
            for _ in 0..<6 { #expect(try await fixture.request("/open/x", method: "POST").status == 200) }
            #expect(fixture.backend.requests.count == 6)
        }
    }
}
