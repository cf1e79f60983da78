import Testing

/// Retries happen only where they are harmless.
@Suite struct RetryTests {
    private static func resetsFirst(_ index: Int) -> BackendScript { index == 0 ? .resets : .names(index) }

    @Test func resetBeforeFirstByteRetriesOnAnotherServer() async throws {
        try await withFleet(2, script: Self.resetsFirst) { fixture, fleet async throws in
            for method in ["GET", "HEAD", "OPTIONS"] {
                for _ in 0..<2 { #expect(try await fixture.request("/open/x", method: method).status == 200) }
            }
            #expect(fleet.counts == [3, 6])
        }
    }

    @Test(arguments: [(1, 1), (2, 2), (3, 3), (4, 4)])
    func configuredNumberOfAttemptsIsMade(attempts: Int, tries: Int) async throws {
        let script = { (_: Int) in BackendScript.resets }
        for servers in [1, 3] {
            let keys = "retries: { attempts: \(attempts) }"
            try await withFleet(servers, keys, script: script) { fixture, fleet async throws in
                expectRefusal(try await fixture.request("/open/x"), 502, "backend_unavailable", "\(servers) servers")
                #expect(fleet.counts.reduce(0, +) == tries, "\(servers) servers")
                let most = (tries + servers - 1) / servers
                #expect(fleet.counts.max() == most, "\(fleet.counts)")
            }
        }
    }

    @Test func nonIdempotentRequestIsNeverRetried() async throws {
        let keys = "retries: { attempts: 5 }"
        for method in ["POST", "PATCH", "PUT", "DELETE", "PURGE"] {
            try await withFleet(2, keys, script: { _ in .resets }) { fixture, fleet async throws in
                expectRefusal(try await fixture.request("/open/x", method: method), 502, "backend_unavailable", method)
                #expect(fleet.counts.reduce(0, +) == 1, "\(method)")
            }
        }
    }

    @Test func requestWithBodyIsNeverRetried() async throws {
        let framed = [("Content-Length: 5", "hello"), ("Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n")]
        for (field, body) in framed {
            try await withFleet(2, script: { _ in .resets }) { fixture, fleet async throws in
                let raw = fixture.head("/open/x", fields: [field]) + body
                expectRefusal(try await fixture.send(raw), 502, "backend_unavailable", field)
                #expect(fleet.counts.reduce(0, +) == 1, "\(field)")
            }
        }
    }

    @Test func onlyConfiguredMethodsAreRetried() async throws {
        let keys = "retries: { methods: [PUT, DELETE] }"
        for (method, tries) in [("PUT", 2), ("DELETE", 2), ("GET", 1), ("HEAD", 1)] {
            try await withFleet(2, keys, script: { _ in .resets }) { fixture, fleet async throws in
                #expect(try await fixture.request("/open/x", method: method).status == 502)
                #expect(fleet.counts.reduce(0, +) == tries, "\(method)")
            }
        }
    }

    @Test func onlyConfiguredReasonsAreRetried() async throws {
        for (reasons, tries) in [("", 1), ("connect_failure", 1), ("reset_before_response", 2)] {
            try await withFleet(2, "retries: { on: [\(reasons)] }", script: { _ in .resets }) {
                fixture,
                fleet async throws in
                expectRefusal(try await fixture.request("/open/x"), 502, "backend_unavailable", reasons)
                #expect(fleet.counts.reduce(0, +) == tries, "\(reasons)")
            }
        }
    }

    @Test(arguments: ["H", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 103 Early Hints\r\n\r\n"])
    func nothingIsRetriedAfterFirstByteOfResponse(sent: String) async throws {
        try await withFleet(2, script: { _ in .responseThenClose(sent) }) { fixture, fleet async throws in
            expectRefusal(try await fixture.request("/open/x"), 502, "backend_unavailable")
            #expect(fleet.counts.reduce(0, +) == 1)
        }
    }

    // MARK: Connect failures

    private static func withOneRefusing(_ retries: String) -> GatewaySetup {
        GatewaySetup(tenant: "backend: { servers: [\"{nobody}\", \"{backend}\"], retries: { \(retries) } }")
    }

    @Test(arguments: ["on: [connect_failure]", "attempts: 1", "methods: [GET]"])
    func refusedConnectionRetriesAnyMethod(retries: String) async throws {
        try await withGateway(Self.withOneRefusing(retries)) { fixture async throws in
            for method in ["GET", "POST", "PATCH", "DELETE"] {
                for _ in 0..<2 {
                    let raw = fixture.head("/open/x", method: method, fields: ["Content-Length: 5"]) + "hello"
                    #expect(try await fixture.send(raw, method: method).status == 200, "\(method)")
                }
            }
            let bodies = Set(fixture.backend.requests.map(\.body.text))
            #expect(bodies == ["hello"])
        }
    }

    @Test(arguments: ["on: []", "on: [reset_before_response]"])
    func refusedConnectionIsFinalIfNotConfigured(retries: String) async throws {
        try await withGateway(Self.withOneRefusing(retries)) { fixture async throws in
            let statuses = Set([
                try await fixture.request("/open/x").status, try await fixture.request("/open/x").status,
            ])
            #expect(statuses == [200, 503])
        }
    }

    // MARK: Kept connections

    @Test func staleConnectionsLoseNoRequest() async throws {
        let together = Gate("five requests are there")
        let script = BackendScript { exchange in
            try await exchange.body()
            if exchange.head.path == "/open/together" { try await together.passed() }
            // Closed just as a second request arrives.
            if exchange.turn > 0 { return await exchange.close() }
            try await exchange.sendOK()
        }
        try await withGateway(backend: script) { fixture async throws in
            var clients: [RawClient] = []
            for _ in 0..<5 {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/together"))
                _ = try await fixture.backend.arrivals.next()
                clients.append(client)
            }
            together.open()
            for client in clients { #expect(try await client.response().status == 200) }
            #expect(fixture.backend.connections == 5)
            for client in clients {
                #expect(try await client.request(fixture.head("/open/x")).status == 200)
            }
        }
    }
}
