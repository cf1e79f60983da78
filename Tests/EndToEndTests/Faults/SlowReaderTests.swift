import TestSupport
import Testing

/// Clients that read slowly or not at all.
@Suite struct SlowReaderTests {
    /// The most that the buffers between the server and one such client hold: mostly the kernel's, where they are as
    /// large as some systems let them grow, 32 MiB of what the gateway has not read and 4 MiB of what the client has
    /// not.
    private static let held = 36 << 20

    /// A client that has the head of a large response and reads no further.
    private func reader(of fixture: GatewayFixture, http2: Bool) async throws -> RawClient {
        if http2 {
            let client = try await fixture.http2(receiveBuffer: 16 << 10)
            await client.keepWindowsShut()
            let stream = try await client.open("/open/large")
            guard case .fields = try await client.event(on: stream) else { throw Malformed("no head") }
            return client.raw
        }
        let client = try await fixture.connect(receiveBuffer: 16 << 10)
        try await client.send(fixture.head("/open/large"))
        #expect(try await client.head().status == 200)
        return client
    }

    @Test func slowReadersHoldUpOnlyTheirServer() async throws {
        let large = LargeBody(pieces: 1024)
        try await withGateway(.failing(), backend: large.sender) { fixture async throws in
            var readers: [RawClient] = []
            for number in 0..<8 { readers.append(try await reader(of: fixture, http2: number % 2 == 1)) }
            for _ in 0..<40 {
                try await fixture.expectNeighbourServed(times: 1)
                // One read: as slow as a byte a second, as far as the gateway can see.
                _ = try await readers[0].piece()
            }
            #expect(large.accepted.value < readers.count * Self.held)
            for reader in readers { try await reader.reset() }
            for _ in readers { _ = try await fixture.backend.ends.next() }
            try await fixture.expectNeighbourServed()
        }
    }

    @Test func readerThatStopsIsDropped() async throws {
        let large = LargeBody(pieces: 1024)
        let setup = GatewaySetup.failing(gateway: "limits: { idle_timeout: 3s }")
        try await withGateway(setup, backend: large.sender) { fixture async throws in
            for http2 in [false, true] {
                let reader = try await reader(of: fixture, http2: http2)
                try await fixture.expectNeighbourServed(times: 1)
                // The server connection is closed, and the client's data ends before the response does.
                _ = try await fixture.backend.ends.next()
                #expect(try await reader.untilClosed().count < Self.held)
            }
            #expect(large.accepted.value < 2 * Self.held)
            try await fixture.expectNeighbourServed()
            _ = try await fixture.metrics { metrics in
                metrics.value("gatehouse_requests_total", ["tenant": "app", "status": "200"]) == 2
            }
        }
    }
}
