import Testing

/// A server whose responses are invalid or ambiguous.
@Suite struct GarbledResponseTests {
    private func expectBadGateway(for response: String) async throws {
        try await withGateway(.failing(), backend: .responseThenClose(response)) { fixture async throws in
            for _ in 0..<3 {
                for request in try await fixture.sendBoth("/open/x") {
                    expectRefusal(try await request.response(), 502, "backend_unavailable", request.version)
                }
                try await fixture.expectNeighbourServed(times: 1)
            }
            // A byte arrived, so nothing is retried.
            #expect(fixture.backend.requests.count == 6)
            try await fixture.expectRefused("backend_unavailable", 502, 6)
            try await fixture.expectCounted("failed", 6)
        }
    }

    @Test func responseThatIsNotHTTPIsBadGateway() async throws {
        try await expectBadGateway(for: "\u{16}\u{3}\u{1} this is not HTTP\r\n\r\n")
    }

    @Test func responseWithTwoLengthsIsBadGateway() async throws {
        try await expectBadGateway(for: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")
    }

    @Test func oversizedResponseHeadIsBadGateway() async throws {
        let filling = String(repeating: "a", count: 1 << 20)
        try await expectBadGateway(for: "HTTP/1.1 200 OK\r\nX-A: \(filling)\r\nContent-Length: 0\r\n\r\n")
    }

    /// The head was sent before the chunk is known to be invalid.
    @Test func garbledChunkCutsResponse() async throws {
        let chunk = Gate("the garbled chunk")
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
            try await chunk.passed()
            try await exchange.send("no size\r\n")
        }
        try await withGateway(.failing(), backend: script) { fixture async throws in
            let requests = try await fixture.sendBoth("/open/x")
            for _ in requests { _ = try await fixture.backend.arrivals.next() }
            try await fixture.expectNeighbourServed()
            chunk.open()
            for request in requests { try await request.expectCut() }
            try await fixture.expectNeighbourServed()
            try await fixture.expectCounted("failed", 2)
        }
    }
}
