import TestSupport
import Testing

/// Back-pressure in tunnels.
@Suite struct TunnelPressureTests {
    /// The most that two pairs of socket buffers and the gateway hold.
    private static let bound = 24 << 20
    private static let buffer = 128 << 10

    /// The payload of one frame of 64 MiB.
    private static func payload() -> LargeBody { LargeBody(pieces: 1024) }

    private static func drain(_ bytes: TunnelBytes, _ large: LargeBody) async throws {
        for _ in 0..<large.pieces {
            let unharmed = try await bytes.exactly(large.piece).allSatisfy { $0 == 7 }
            guard unharmed else { throw Malformed("another byte than was sent") }
        }
    }

    @Test func clientThatDoesNotReadHoldsUpBackend() async throws {
        try await withTunnel(receiveBuffer: Self.buffer) { tunnel async throws in
            let (large, server) = (Self.payload(), tunnel.server)
            try await server.setSendBuffer(Self.buffer)
            async let poured: Void = large.pour { block, _ in try await server.send(block) }
            try await tunnel.fixture.ping(times: 400)
            #expect(large.accepted.value < Self.bound)
            // The other direction is not held up.
            try await tunnel.client.send(.fromClient("still here"))
            #expect(try await server.frame() == .fromClient("still here"))
            try await Self.drain(tunnel.client.bytes, large)
            try await poured
            try await tunnel.expectOpen()
        }
    }

    @Test func backendThatDoesNotReadHoldsUpClient() async throws {
        try await withTunnel { tunnel async throws in
            let (large, client) = (Self.payload(), tunnel.client)
            async let poured: Void = large.pour { block, _ in try await client.send(block) }
            try await tunnel.fixture.ping(times: 400)
            #expect(large.accepted.value < Self.bound)
            try await tunnel.server.send(.fromServer("still here"))
            #expect(try await client.frame() == .fromServer("still here"))
            try await Self.drain(tunnel.server.bytes, large)
            try await poured
            try await tunnel.expectOpen()
        }
    }

    @Test func dataBeforeCloseArrivesWhole() async throws {
        try await withTunnel(receiveBuffer: Self.buffer) { tunnel async throws in
            var random = SplitMix64(seed: 8)
            let sent = random.variedBytes(8 << 20)
            let server = tunnel.server
            async let closed: Void = {
                try await server.send(sent)
                await server.close()
            }()
            try await tunnel.fixture.ping(times: 100)
            let arrived = try await tunnel.client.bytes.rest() == sent
            #expect(arrived)
            try await closed
        }
    }
}
