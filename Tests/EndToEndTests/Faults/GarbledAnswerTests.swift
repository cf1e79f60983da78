import Testing

/// A server whose answers cannot be read, or could be read in two ways.
@Suite struct GarbledAnswerTests {
    private func expectBadGateway(for answer: String) async throws {
        try await withGateway(.failing(), backend: .answersAndCloses(answer)) { fixture async throws in
            for _ in 0..<3 {
                for request in try await fixture.sendBoth("/open/x") {
                    expectRefusal(try await request.answer(), 502, "backend_unavailable", request.version)
                }
                try await fixture.expectNeighbourServed(times: 1)
            }
            // Something came, so nothing was tried again.
            #expect(fixture.backend.requests.count == 6)
            try await fixture.expectRefused("backend_unavailable", 502, 6)
            try await fixture.expectCounted("failed", 6)
        }
    }

    @Test func anAnswerThatIsNoHTTPIsABadGateway() async throws {
        try await expectBadGateway(for: "\u{16}\u{3}\u{1} this is not HTTP\r\n\r\n")
    }

    @Test func anAnswerWithTwoLengthsIsABadGateway() async throws {
        try await expectBadGateway(for: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")
    }

    @Test func anAnswerWithAnOversizedHeadIsABadGateway() async throws {
        let filling = String(repeating: "a", count: 1 << 20)
        try await expectBadGateway(for: "HTTP/1.1 200 OK\r\nX-A: \(filling)\r\nContent-Length: 0\r\n\r\n")
    }

    /// The head went out before the chunk showed what it is.
    @Test func aGarbledChunkCutsTheAnswer() async throws {
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
