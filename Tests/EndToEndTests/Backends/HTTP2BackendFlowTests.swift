import NIOHTTP2
import TestSupport
import Testing

/// Back-pressure through flow control: a side that does not read holds up the other.
@Suite struct HTTP2BackendFlowTests {
    private static let piece = 16 << 10
    private static let pieces = 2048
    /// What a pair of socket buffers, the windows and the gateway may hold between them; the whole is 32 MiB.
    private static let bound = 12 << 20
    private static let buffer = 64 << 10

    /// Turns of the gateway's one loop, in which it could have read on.
    private func pass(_ fixture: GatewayFixture, requests: Int) async throws {
        let client = try await fixture.connect()
        for _ in 0..<requests {
            try await client.send(fixture.head("/open/ping"))
            #expect(try await client.response().status == 200)
        }
    }

    private static func sender(_ left: Tally) -> HTTP2Backend.Script {
        { call in
            try await call.body()
            guard call.path == "/open/large" else { return try await call.answer() }
            try await call.head(200, [("content-length", "\(piece * pieces)")])
            for number in 1...pieces {
                try await call.data([UInt8](repeating: 7, count: piece), end: number == pieces)
                left.add(piece)
            }
        }
    }

    @Test func aSlowClientHoldsUpTheServerAndNobodyElse() async throws {
        let left = Tally()
        try await withHTTP2Backend(Self.sender(left)) { fixture, backend async throws in
            let client = try await fixture.connect(receiveBuffer: Self.buffer)
            try await client.send(fixture.head("/open/large"))
            _ = try await backend.calls.next()
            // On the same connection as the stream that is held up.
            try await pass(fixture, requests: 300)
            #expect(left.value < Self.bound)
            #expect(backend.connections == 1)
            let body = try await client.response().body.bytes
            #expect(body.count == Self.piece * Self.pieces)
            let unharmed = body.allSatisfy { $0 == 7 }
            #expect(unharmed)
        }
    }

    @Test func aStreamWithoutAWindowHoldsUpTheServer() async throws {
        let left = Tally()
        try await withHTTP2Backend(Self.sender(left)) { fixture, backend async throws in
            let client = try await fixture.http2(.initialWindowSize(1 << 10))
            await client.keepWindowsShut()
            _ = try await client.open("/open/large")
            _ = try await backend.calls.next()
            try await pass(fixture, requests: 300)
            // Nothing of it fits into a socket: the gateway's own windows and buffers are all there is.
            #expect(left.value < 1 << 20)
        }
    }

    @Test func aServerThatDoesNotReadHoldsUpTheClient() async throws {
        let read = Gate("the server reads")
        let script: HTTP2Backend.Script = { call in
            if call.path == "/open/large" { try await read.passed() }
            let size = try await call.body().bytes.count
            try await call.answer("\(size)")
        }
        try await withHTTP2Backend(script) { fixture, backend async throws in
            let accepted = Tally()
            let client = try await fixture.connect()
            let length = "Content-Length: \(Self.piece * Self.pieces)"
            try await client.send(fixture.head("/open/large", method: "POST", fields: [length]))
            let block = [UInt8](repeating: 7, count: Self.piece)
            async let sent: Void = {
                for _ in 0..<Self.pieces {
                    try await client.send(block)
                    accepted.add(Self.piece)
                }
            }()
            _ = try await backend.calls.next()
            try await pass(fixture, requests: 300)
            #expect(accepted.value < Self.bound)
            read.open()
            try await sent
            #expect(try await client.response(to: "POST").body.text == "\(Self.piece * Self.pieces)")
        }
    }
}
