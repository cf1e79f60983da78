import Testing

/// A server that is killed inside the body of its response. A killed process leaves a FIN, or a RST if it has unread
/// data.
@Suite struct ServerDiesTests {
    private enum End {
        case fin
        case reset
    }

    private static let known = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
    private static let closeDelimited = "HTTP/1.1 200 OK\r\n\r\nhello"

    /// Stops the server after `beginning`, once a request to the other server has been served.
    private func kill(
        after beginning: String,
        by end: End,
        _ expect: (PendingRequest) async throws -> Void
    ) async throws {
        let death = Gate("the server dies")
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.send(beginning)
            try await death.passed()
            switch end {
            case .fin: await exchange.close()
            case .reset: try await exchange.reset()
            }
        }
        try await withGateway(.failing(), backend: script) { fixture async throws in
            let requests = try await fixture.sendBoth("/open/x")
            for _ in requests { _ = try await fixture.backend.arrivals.next() }
            try await fixture.expectNeighbourServed()
            death.open()
            for request in requests { try await expect(request) }
            try await fixture.expectNeighbourServed()
            // Nothing is retried.
            #expect(fixture.backend.requests.count == requests.count)
            try await fixture.expectCounted("failed", end == .fin && beginning == Self.closeDelimited ? 0 : 2)
        }
    }

    @Test func serverKilledInBodyOfKnownLengthCutsResponse() async throws {
        try await kill(after: Self.known, by: .fin) { try await $0.expectCut() }
        try await kill(after: Self.known, by: .reset) { try await $0.expectCut() }
    }

    @Test func serverKilledBetweenChunksCutsResponse() async throws {
        try await kill(after: Self.chunked, by: .fin) { try await $0.expectCut() }
        try await kill(after: Self.chunked, by: .reset) { try await $0.expectCut() }
    }

    @Test func resetInCloseDelimitedResponseCutsIt() async throws {
        try await kill(after: Self.closeDelimited, by: .reset) { try await $0.expectCut() }
    }

    /// Indistinguishable from the end of the response (RFC 9112 section 6.3).
    @Test func serverKilledInCloseDelimitedResponseEndsIt() async throws {
        try await kill(after: Self.closeDelimited, by: .fin) { request in
            let response = try await request.response()
            #expect(response.status == 200 && response.body.text == "hello")
        }
    }
}
