import TestSupport
import Testing

/// Back-pressure through flow control.
@Suite struct HTTP2BackendFlowTests {
    /// The most that a pair of socket buffers, the windows and the gateway hold; the body is 32 MiB.
    private static let bound = 12 << 20

    private static func body() -> LargeBody { LargeBody(piece: 16 << 10, pieces: 2048) }

    private static func sender(_ large: LargeBody) -> HTTP2Backend.Script {
        { call in
            try await call.body()
            guard call.path == "/open/large" else { return try await call.respond() }
            try await call.head(200, [("content-length", "\(large.size)")])
            try await large.pour { block, isLast in try await call.data(block, end: isLast) }
        }
    }

    @Test func slowClientHoldsUpOnlyItsStream() async throws {
        let large = Self.body()
        try await withHTTP2Backend(Self.sender(large)) { fixture, backend async throws in
            let client = try await fixture.connect(receiveBuffer: 64 << 10)
            try await client.send(fixture.head("/open/large"))
            _ = try await backend.calls.next()
            // On the same connection as the blocked stream.
            try await fixture.ping(times: 300)
            #expect(large.accepted.value < Self.bound)
            #expect(backend.connections == 1)
            large.expectWhole(try await client.response().body.bytes)
        }
    }

    @Test func streamWithoutWindowHoldsUpServer() async throws {
        let large = Self.body()
        try await withHTTP2Backend(Self.sender(large)) { fixture, backend async throws in
            let client = try await fixture.http2(.initialWindowSize(1 << 10))
            await client.keepWindowsShut()
            _ = try await client.open("/open/large")
            _ = try await backend.calls.next()
            try await fixture.ping(times: 300)
            // Nothing reaches a socket: only the gateway's windows and buffers hold data.
            #expect(large.accepted.value < 1 << 20)
        }
    }

    @Test func serverThatDoesNotReadHoldsUpClient() async throws {
        let read = Gate("the server reads")
        let script: HTTP2Backend.Script = { call in
            if call.path == "/open/large" { try await read.passed() }
            let size = try await call.body().bytes.count
            try await call.respond("\(size)")
        }
        try await withHTTP2Backend(script) { fixture, backend async throws in
            let large = Self.body()
            let client = try await fixture.connect()
            try await client.send(
                fixture.head("/open/large", method: "POST", fields: ["Content-Length: \(large.size)"])
            )
            async let sent: Void = large.pour { block, _ in try await client.send(block) }
            _ = try await backend.calls.next()
            try await fixture.ping(times: 300)
            #expect(large.accepted.value < Self.bound)
            read.open()
            try await sent
            #expect(try await client.response(to: "POST").body.text == "\(large.size)")
        }
    }
}
