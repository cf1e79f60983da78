import Testing

/// How many requests at once (RFC 9113 section 5.1.2).
@Suite struct ConcurrencyTests {
    private static let limit = 100

    private static func held(_ response: Gate) -> BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            if exchange.head.path != "/open/canary" { try await response.passed() }
            try await exchange.sendOK(exchange.head.path)
        }
    }

    @Test func concurrentRequestsAreServedOnTheirStreams() async throws {
        let response = Gate("the backend answers")
        try await withGateway(backend: Self.held(response)) { fixture async throws in
            let client = try await fixture.http2()
            var streams: [Int] = []
            for number in 0..<20 { streams.append(try await client.open("/open/\(number)")) }
            for _ in streams { _ = try await fixture.backend.arrivals.next() }
            response.open()
            for (number, stream) in streams.enumerated().reversed() {
                #expect(try await client.response(on: stream).body.text == "/open/\(number)")
            }
        }
    }

    @Test func streamOverLimitIsRefusedAlone() async throws {
        let response = Gate("the backend answers")
        try await withGateway(backend: Self.held(response)) { fixture async throws in
            let client = try await fixture.http2()
            // The limit counts from the acknowledgement of the settings that say it.
            #expect(try await client.sync())
            var streams: [Int] = []
            for number in 0..<Self.limit { streams.append(try await client.open("/open/\(number)")) }
            let over = try await client.open("/open/over")
            let outcome = try await client.outcome(of: over)
            guard case .reset(let code) = outcome else {
                Issue.record("the stream past the limit: \(outcome)")
                return
            }
            #expect(code == .refusedStream || code == .protocolError)
            response.open()
            for stream in streams { #expect(try await client.response(on: stream).status == 200) }
            try await client.expectAlive()
            #expect(!fixture.backend.requests.contains { $0.target == "/open/over" })
        }
    }
}
