import TestSupport
import Testing

/// Clients that take their answers slowly or not at all.
@Suite struct SlowReaderTests {
    private static let size = 64 << 20
    /// What the buffers between the server and one such client may hold: the kernel's alone, where they are as large as
    /// some systems let them grow, 32 MiB of what the gateway has not read and 4 MiB of what the client has not.
    private static let held = 36 << 20

    /// 64 MiB for `/open/large`, as fast as they are taken; `accepted` counts them.
    private static func large(_ accepted: Tally) -> BackendScript {
        let block = [UInt8](repeating: 7, count: 64 << 10)
        return BackendScript { exchange in
            try await exchange.body()
            try await exchange.setSendBuffer(128 << 10)
            try await exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            for _ in 0..<(size / block.count) {
                try await exchange.send(block)
                accepted.add(block.count)
            }
        }
    }

    /// A client that has the head of a large answer and reads no further.
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

    @Test func slowReadersHoldUpTheirOwnServerAlone() async throws {
        let accepted = Tally()
        try await withGateway(.failing(), backend: Self.large(accepted)) { fixture async throws in
            var readers: [RawClient] = []
            for number in 0..<8 { readers.append(try await reader(of: fixture, http2: number % 2 == 1)) }
            for _ in 0..<40 {
                try await fixture.expectNeighbourServed(times: 1)
                // The least that a socket gives: as slow as a byte a second, for all that the gateway can see.
                _ = try await readers[0].piece()
            }
            #expect(accepted.value < readers.count * Self.held)
            for reader in readers { try await reader.reset() }
            for _ in readers { _ = try await fixture.backend.ends.next() }
            try await fixture.expectNeighbourServed()
        }
    }

    @Test func aReaderThatTakesNothingIsDropped() async throws {
        let accepted = Tally()
        let setup = GatewaySetup.failing(gateway: "limits: { idle_timeout: 1s }")
        try await withGateway(setup, backend: Self.large(accepted)) { fixture async throws in
            for http2 in [false, true] {
                let reader = try await reader(of: fixture, http2: http2)
                try await fixture.expectNeighbourServed(times: 1)
                // The server is let go of, and what was on its way to the client ends before the answer does.
                _ = try await fixture.backend.ends.next()
                #expect(try await reader.untilClosed().count < Self.held)
            }
            #expect(accepted.value < 2 * Self.held)
            try await fixture.expectNeighbourServed()
            _ = try await fixture.metrics { metrics in
                metrics.value("gatehouse_requests_total", ["tenant": "app", "status": "200"]) == 2
            }
        }
    }
}
