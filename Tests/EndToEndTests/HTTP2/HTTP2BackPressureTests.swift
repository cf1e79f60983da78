import TestSupport
import Testing

/// Over HTTP/2 too, a peer that does not read slows down only the other one (RFC 9113 section 5.2).
@Suite struct HTTP2BackPressureTests {
    /// The most that windows, socket buffers and the gateway hold; the body is 32 MiB.
    private static let bound = 16 << 20

    @Test func clientWithClosedWindowHoldsUpBackend() async throws {
        let large = LargeBody(pieces: 512)
        try await withGateway(backend: large.sender) { fixture async throws in
            let client = try await fixture.http2(.initialWindowSize(0))
            let stream = try await client.open("/open/large")
            _ = try await fixture.backend.arrivals.next()
            try await fixture.ping(times: 300)
            #expect(large.accepted.value < Self.bound)
            // Its other streams go on.
            #expect(try await client.sync())
            try await client.send(.windowUpdate(stream, 1 << 20), .windowUpdate(0, 1 << 20))
            large.expectWhole(try await client.response(on: stream).body.bytes)
        }
    }

    @Test func stalledStreamHoldsUpNoOther() async throws {
        let large = String(repeating: "a", count: 200_000)
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.sendOK(exchange.head.path == "/open/large" ? large : "ok")
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.http2(.initialWindowSize(0))
            let stalled = try await client.open("/open/large")
            _ = try await fixture.backend.arrivals.next()
            for _ in 0..<10 {
                let stream = try await client.open("/open/small")
                try await client.send(.windowUpdate(stream, 100))
                #expect(try await client.response(on: stream).body.text == "ok")
            }
            try await client.send(.windowUpdate(stalled, 200_000))
            #expect(try await client.response(on: stalled).body.bytes.count == 200_000)
        }
    }

    @Test func backendThatDoesNotReadHoldsUpClient() async throws {
        let read = Gate("the backend reads")
        try await withGateway(backend: LargeBody.receiver(after: read)) { fixture async throws in
            let large = LargeBody(pieces: 512)
            let client = try await fixture.http2()
            let stream = try await client.open("/open/large", method: "POST", end: false)
            async let sent: Void = large.pour { block, isLast in
                try await client.sendBody(block, on: stream, end: isLast)
            }
            _ = try await fixture.backend.heads.next()
            try await fixture.ping(times: 300)
            #expect(large.accepted.value < Self.bound)
            read.open()
            try await sent
            #expect(try await client.response(on: stream).status == 200)
            large.expectWhole(try #require(fixture.backend.requests.first { $0.method == "POST" }).body.bytes)
        }
    }
}
