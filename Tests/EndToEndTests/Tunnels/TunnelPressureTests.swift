import TestSupport
import Testing

/// A side that does not read holds up the other, in a tunnel as elsewhere.
@Suite struct TunnelPressureTests {
    private static let piece = 64 << 10
    private static let pieces = 1024
    /// What two pairs of socket buffers and the gateway may hold between them; the whole is 64 MiB.
    private static let bound = 24 << 20
    private static let buffer = 128 << 10

    /// One frame of 64 MiB, but for its header: what it is of is not the gateway's business.
    private static func pour(_ send: @Sendable ([UInt8]) async throws -> Void, _ accepted: Tally) async throws {
        let block = [UInt8](repeating: 7, count: piece)
        for _ in 0..<pieces {
            try await send(block)
            accepted.add(piece)
        }
    }

    private static func drain(_ bytes: TunnelBytes) async throws {
        for _ in 0..<pieces {
            let unharmed = try await bytes.exactly(piece).allSatisfy { $0 == 7 }
            guard unharmed else { throw Malformed("another byte than was sent") }
        }
    }

    /// Turns of the gateway's one loop, in which it could have read on.
    private static func pass(_ fixture: GatewayFixture, requests: Int) async throws {
        let client = try await fixture.connect()
        for _ in 0..<requests {
            try await client.send(fixture.head("/open/ping"))
            #expect(try await client.response().status == 200)
        }
    }

    @Test func aClientThatDoesNotReadHoldsUpTheBackend() async throws {
        try await withTunnel(receiveBuffer: Self.buffer) { tunnel async throws in
            let accepted = Tally()
            let server = tunnel.server
            try await server.setSendBuffer(Self.buffer)
            async let poured: Void = Self.pour({ try await server.send($0) }, accepted)
            try await Self.pass(tunnel.fixture, requests: 400)
            #expect(accepted.value < Self.bound)
            // The other direction is not held up.
            try await tunnel.client.send(.fromClient("still here"))
            #expect(try await server.frame() == .fromClient("still here"))
            try await Self.drain(tunnel.client.bytes)
            try await poured
            try await tunnel.expectOpen()
        }
    }

    @Test func aBackendThatDoesNotReadHoldsUpTheClient() async throws {
        try await withTunnel { tunnel async throws in
            let accepted = Tally()
            let client = tunnel.client
            async let poured: Void = Self.pour({ try await client.send($0) }, accepted)
            try await Self.pass(tunnel.fixture, requests: 400)
            #expect(accepted.value < Self.bound)
            try await tunnel.server.send(.fromServer("still here"))
            #expect(try await client.frame() == .fromServer("still here"))
            try await Self.drain(tunnel.server.bytes)
            try await poured
            try await tunnel.expectOpen()
        }
    }

    @Test func whatWasSentBeforeACloseArrivesWhole() async throws {
        try await withTunnel(receiveBuffer: Self.buffer) { tunnel async throws in
            var random = SplitMix64(seed: 8)
            let sent = random.variedBytes(8 << 20)
            let server = tunnel.server
            async let closed: Void = {
                try await server.send(sent)
                await server.close()
            }()
            try await Self.pass(tunnel.fixture, requests: 100)
            let arrived = try await tunnel.client.bytes.rest() == sent
            #expect(arrived)
            try await closed
        }
    }
}
