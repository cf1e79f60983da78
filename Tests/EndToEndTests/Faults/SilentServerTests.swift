import Testing

/// Servers that accept and stay silent.
@Suite struct SilentServerTests {
    @Test func silentServerIsTimeout() async throws {
        let over = Gate("the test is over")
        let setup = GatewaySetup.failing(backend: "timeouts: { response: 300ms }")
        try await withGateway(setup, backend: .nothing(until: over)) { fixture async throws in
            let waiting = try await fixture.sendBoth("/open/x", host: "patient.test")
            for _ in waiting { _ = try await fixture.backend.arrivals.next() }
            try await fixture.expectNeighbourServed()
            for request in try await fixture.sendBoth("/open/x") {
                expectRefusal(try await request.response(), 504, "backend_timeout", request.version)
            }
            try await fixture.expectNeighbourServed()
            try await fixture.expectRefused("backend_timeout", 504, 2)
            try await fixture.expectCounted("timeout", 2)
            for request in waiting { await request.close() }
            over.open()
        }
    }

    /// Half-open: the server's host vanished while the connection was idle.
    @Test func keptConnectionToVanishedServerIsNotReused() async throws {
        let over = Gate("the test is over")
        let script = BackendScript { exchange in
            try await exchange.body()
            if exchange.head.path == "/open/vanished", exchange.turn > 0 { return try await over.passed() }
            try await exchange.sendOK("\(exchange.connection)")
        }
        let setup = GatewaySetup.failing(backend: "timeouts: { response: 300ms }")
        try await withGateway(setup, backend: script) { fixture async throws in
            #expect(try await fixture.request("/open/x", host: "patient.test").status == 200)
            let waiting = try await fixture.connect()
            try await waiting.send(fixture.head("/open/vanished", host: "patient.test"))
            var last = try await fixture.request("/open/x").body.text
            for version in 0...1 {
                let request = try await fixture.sendOne(of: version, "/open/vanished")
                expectRefusal(try await request.response(), 504, "backend_timeout", request.version)
                try await fixture.expectNeighbourServed()
                let next = try await fixture.request("/open/x").body.text
                #expect(next != last, "the dead connection was used again")
                last = next
            }
            try await fixture.expectCounted("timeout", 2)
            over.open()
        }
    }

    @Test func serverThatDoesNotReadBodyIsTimeout() async throws {
        let over = Gate("the test is over")
        let script = BackendScript { _ in try await over.passed() }
        let setup = GatewaySetup.failing(backend: "timeouts: { idle: 300ms }")
        try await withGateway(setup, backend: script) { fixture async throws in
            let size = 32 << 20
            let body = [UInt8](repeating: 7, count: size)
            let first = try await fixture.connect()
            try await first.send(fixture.head("/open/x", method: "POST", fields: ["Content-Length: \(size)"]))
            let upload = Task { try await first.send(body) }
            _ = try await fixture.backend.heads.next()
            try await fixture.expectNeighbourServed()
            expectRefusal(try await first.response(to: "POST"), 504, "backend_timeout", "HTTP/1.1")
            await first.close()
            _ = await upload.result
            let second = try await fixture.http2()
            let response = try await second.request("/open/x", method: "POST", body: body)
            expectRefusal(response, 504, "backend_timeout", "HTTP/2")
            try await fixture.expectNeighbourServed()
            try await fixture.expectCounted("timeout", 2)
            over.open()
        }
    }
}

extension GatewayFixture {
    /// One of the two requests of ``sendBoth(_:host:method:body:)``: over HTTP/1.1 (0) or over HTTP/2 (1).
    fileprivate func sendOne(of version: Int, _ path: String) async throws -> PendingRequest {
        if version == 0 {
            let client = try await connect()
            try await client.send(head(path))
            return .http1(client, method: "GET")
        }
        let client = try await http2()
        return .http2(client, stream: try await client.open(path), method: "GET")
    }
}
