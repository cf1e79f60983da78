import TestSupport
import Testing

/// A tunnel passes every byte in order, and no other.
@Suite struct TunnelBytesTests {
    /// Valid and invalid frames: the gateway does not check them.
    private static func frames(seed: UInt64, masked: Bool) -> [WebSocketFrame] {
        var random = SplitMix64(seed: seed)
        let opcodes: [WebSocketFrame.Opcode] = [.text, .binary, .continuation, .ping, .pong]
        return (0..<60).map { number in
            let opcode = opcodes[Int.random(in: 0..<opcodes.count, using: &random)]
            let largest = [1, 126, 200, 5_000, 70_000][number % 5]
            let payload = random.variedBytes(Int.random(in: 0..<largest, using: &random))
            let mask = masked ? random.variedBytes(4) : nil
            return WebSocketFrame(opcode, payload, mask: mask, isFinal: Bool.random(using: &random))
        }
    }

    /// Cuts at random positions.
    private static func pieces(_ bytes: [UInt8], seed: UInt64) -> [[UInt8]] {
        var random = SplitMix64(seed: seed)
        var pieces: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Int.random(in: 1...20_000, using: &random))
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        return pieces
    }

    @Test(arguments: [1, 2, 3])
    func randomFramesPassUntouchedBothWaysAtOnce(_ seed: UInt64) async throws {
        let up = Self.frames(seed: seed, masked: true).flatMap(\.bytes)
        let down = Self.frames(seed: seed + 100, masked: false).flatMap(\.bytes)
        try await withTunnel { tunnel async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for piece in Self.pieces(up, seed: seed) { try await tunnel.client.send(piece) } }
                group.addTask { for piece in Self.pieces(down, seed: seed) { try await tunnel.server.send(piece) } }
                let (atServer, atClient) = (tunnel.server.bytes, tunnel.client.bytes)
                group.addTask {
                    let arrived = try await atServer.exactly(up.count) == up
                    #expect(arrived)
                }
                group.addTask {
                    let arrived = try await atClient.exactly(down.count) == down
                    #expect(arrived)
                }
                try await group.waitForAll()
            }
            try await tunnel.expectOpen()
        }
    }

    @Test func frameOfSixteenMebibytesPasses() async throws {
        var random = SplitMix64(seed: 5)
        let payload = random.variedBytes(16 << 20)
        try await withTunnel { tunnel async throws in
            let frame = WebSocketFrame(.binary, payload)
            async let sent: Void = tunnel.server.send(frame)
            let same = try await tunnel.client.frame() == frame
            #expect(same)
            try await sent
        }
    }

    @Test func fragmentsAndPingsBetweenThemPassInOrder() async throws {
        let mask: [UInt8] = [1, 2, 3, 4]
        let frames = [
            WebSocketFrame(.text, Array("a ".utf8), mask: mask, isFinal: false),
            WebSocketFrame(.ping, Array("there?".utf8), mask: mask),
            WebSocketFrame(.continuation, Array("message ".utf8), mask: mask, isFinal: false),
            WebSocketFrame(.continuation, Array("in three".utf8), mask: mask),
        ]
        try await withTunnel { tunnel async throws in
            for frame in frames {
                for byte in frame.bytes { try await tunnel.client.send([byte]) }
            }
            for frame in frames { #expect(try await tunnel.server.frame() == frame) }
            // The gateway answers no ping: the backend does.
            try await tunnel.server.send(WebSocketFrame(.pong, Array("there?".utf8)))
            #expect(try await tunnel.client.frame() == WebSocketFrame(.pong, Array("there?".utf8)))
        }
    }

    @Test func invalidFramesPassToo() async throws {
        try await withTunnel { tunnel async throws in
            // A length of 2^64 - 1, which is not allowed, and then noise.
            var random = SplitMix64(seed: 6)
            let noise = [0x82, 0x7f] + [UInt8](repeating: 0xff, count: 8) + random.variedBytes(10_000)
            try await tunnel.client.send(noise)
            #expect(try await tunnel.server.bytes.exactly(noise.count) == noise)
            try await tunnel.server.send(noise)
            #expect(try await tunnel.client.bytes.exactly(noise.count) == noise)
        }
    }

    // MARK: Right behind the handshake

    @Test func framesRightBehindHandshakeArrive() async throws {
        let upstream = TunnelBackend()
        try await withGateway(backend: upstream.script) { fixture async throws in
            let client = try await fixture.connect()
            let frames = (0..<3).map { WebSocketFrame.fromClient("early \($0)") }
            let head = Array(fixture.head("/open/socket", fields: Handshake.fields).utf8)
            try await client.send(head + frames.flatMap(\.bytes))
            let end = try await TunnelClient(client)
            let tunnel = Tunnel(fixture: fixture, client: end, server: try await upstream.tunnels.next())
            try await fixture.withTunnel(tunnel) { tunnel async throws in
                for frame in frames { #expect(try await tunnel.server.frame() == frame) }
                try await tunnel.expectOpen()
            }
        }
    }

    @Test func framesSentBefore101AreHeld() async throws {
        let responses = Gate("the frames are sent")
        let seen = Mailbox<[UInt8]>("the frames at the backend")
        let frames = (0..<100).flatMap { WebSocketFrame.fromClient("early \($0)").bytes }
        let script = BackendScript { exchange in
            try await exchange.body()
            if exchange.head.path == "/open/x" { return try await exchange.sendOK() }
            try await responses.passed()
            try await exchange.send(Handshake.granted())
            let bytes = TunnelBytes { try await exchange.pieceOfBody() }
            seen.put(try await bytes.exactly(frames.count))
            await exchange.close()
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/socket", fields: Handshake.fields))
            _ = try await fixture.backend.arrivals.next()
            try await client.send(frames)
            // The gateway's one loop has read them before it answers this.
            #expect(try await fixture.request("/open/x").status == 200)
            responses.open()
            #expect(try await TunnelClient(client).response.status == 101)
            #expect(try await seen.next() == frames)
        }
    }

    @Test func framesRightBehind101Arrive() async throws {
        let frames = (0..<3).map { WebSocketFrame.fromServer("early \($0)") }
        try await withTunnel(GatewaySetup(), TunnelBackend(rightBehind: frames.flatMap(\.bytes))) {
            tunnel async throws in
            for frame in frames { #expect(try await tunnel.client.frame() == frame) }
            try await tunnel.expectOpen()
        }
    }

    // MARK: Many

    @Test func tunnelsDoNotMix() async throws {
        let upstream = TunnelBackend()
        try await withGateway(backend: upstream.script) { fixture async throws in
            var tunnels: [Tunnel] = []
            for number in 0..<20 { tunnels.append(try await fixture.openTunnel(upstream, "/open/\(number)")) }
            for (number, tunnel) in tunnels.enumerated() {
                #expect(tunnel.server.head.target == "/open/\(number)")
                try await tunnel.client.send(.fromClient("up \(number)"))
                try await tunnel.server.send(.fromServer("down \(number)"))
            }
            for (number, tunnel) in tunnels.enumerated().reversed() {
                try await fixture.withTunnel(tunnel) { tunnel async throws in
                    #expect(try await tunnel.server.frame() == .fromClient("up \(number)"))
                    #expect(try await tunnel.client.frame() == .fromServer("down \(number)"))
                }
            }
        }
    }
}
