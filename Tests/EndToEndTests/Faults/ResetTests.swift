import Testing

/// A server that resets the connection before its response is there.
@Suite struct ResetTests {
    @Test func resetBeforeFirstByteIsBadGateway() async throws {
        try await withGateway(.failing(), backend: .resets) { fixture async throws in
            for _ in 0..<5 {
                for request in try await fixture.sendBoth("/open/x") {
                    expectRefusal(try await request.response(), 502, "backend_unavailable", request.version)
                }
                try await fixture.expectNeighbourServed(times: 1)
            }
            // A GET has two tries.
            #expect(fixture.backend.requests.count == 20)
            try await fixture.expectRefused("backend_unavailable", 502, 10)
            try await fixture.expectCounted("failed", 20)
        }
    }

    @Test func unrepeatableRequestIsTriedOnce() async throws {
        try await withGateway(.failing(), backend: .resets) { fixture async throws in
            for request in try await fixture.sendBoth("/open/x", method: "POST", body: "once") {
                expectRefusal(try await request.response(), 502, "backend_unavailable", request.version)
            }
            #expect(fixture.backend.requests.count == 2)
            try await fixture.expectNeighbourServed()
        }
    }

    /// The server has begun to answer, so that not even a GET is repeated.
    @Test func resetAfterFirstByteIsBadGateway() async throws {
        let reset = Gate("the server resets")
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.send("HTTP/1.1 200 OK\r\nContent-Le")
            try await reset.passed()
            try await exchange.reset()
        }
        try await withGateway(.failing(), backend: script) { fixture async throws in
            let requests = try await fixture.sendBoth("/open/x")
            for _ in requests { _ = try await fixture.backend.arrivals.next() }
            try await fixture.expectNeighbourServed()
            reset.open()
            for request in requests {
                expectRefusal(try await request.response(), 502, "backend_unavailable", request.version)
            }
            #expect(fixture.backend.requests.count == 2)
            try await fixture.expectNeighbourServed()
            try await fixture.expectRefused("backend_unavailable", 502, 2)
            try await fixture.expectCounted("failed", 2)
        }
    }
}
