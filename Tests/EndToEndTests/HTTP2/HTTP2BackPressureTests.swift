import TestSupport
import Testing

/// Over HTTP/2 too, a side that does not read holds up the other, and it alone (RFC 9113 section 5.2).
@Suite struct HTTP2BackPressureTests {
    private static let piece = 64 << 10
    private static let pieces = 512
    /// What windows, socket buffers and the gateway may hold between them; the whole is 32 MiB.
    private static let bound = 16 << 20
    private static let buffer = 128 << 10

    private func pass(_ fixture: GatewayFixture, requests: Int) async throws {
        let client = try await fixture.http2()
        for _ in 0..<requests { try await client.expectAlive() }
    }

    @Test func aClientThatDoesNotOpenItsWindowHoldsUpTheBackend() async throws {
        let accepted = Tally()
        let block = [UInt8](repeating: 7, count: Self.piece)
        let script = BackendScript { exchange in
            try await exchange.body()
            guard exchange.head.path == "/open/large" else { return try await exchange.sendOK() }
            try await exchange.setSendBuffer(Self.buffer)
            try await exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.piece * Self.pieces)\r\n\r\n")
            for _ in 0..<Self.pieces {
                try await exchange.send(block)
                accepted.add(Self.piece)
            }
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.http2(.initialWindowSize(0))
            let stream = try await client.open("/open/large")
            _ = try await fixture.backend.arrivals.next()
            try await pass(fixture, requests: 300)
            #expect(accepted.value < Self.bound)
            // Its other streams are not held up.
            #expect(try await client.sync())
            try await client.send(.windowUpdate(stream, 1 << 20), .windowUpdate(0, 1 << 20))
            let answer = try await client.answer(on: stream)
            #expect(answer.body.bytes.count == Self.piece * Self.pieces)
            let unharmed = answer.body.bytes.allSatisfy { $0 == 7 }
            #expect(unharmed)
        }
    }

    @Test func aStalledStreamHoldsUpNoOther() async throws {
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
                #expect(try await client.answer(on: stream).body.text == "ok")
            }
            try await client.send(.windowUpdate(stalled, 200_000))
            #expect(try await client.answer(on: stalled).body.bytes.count == 200_000)
        }
    }

    @Test func aBackendThatDoesNotReadHoldsUpTheClient() async throws {
        let read = Gate("the backend reads")
        let script = BackendScript { exchange in
            guard exchange.head.path == "/open/large" else { return try await exchange.sendOK() }
            try await read.passed()
            try await exchange.body()
            try await exchange.sendOK()
        }
        try await withGateway(backend: script) { fixture async throws in
            let accepted = Tally()
            let client = try await fixture.http2()
            let stream = try await client.open("/open/large", method: "POST", end: false)
            let block = [UInt8](repeating: 7, count: Self.piece)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for _ in 0..<Self.pieces {
                        try await client.sendBody(block, on: stream, end: false)
                        accepted.add(Self.piece)
                    }
                    try await client.send(.data(stream, "", end: true))
                }
                _ = try await fixture.backend.heads.next()
                try await pass(fixture, requests: 300)
                #expect(accepted.value < Self.bound)
                read.open()
                try await group.waitForAll()
            }
            #expect(try await client.answer(on: stream).status == 200)
            let seen = fixture.backend.requests.first { $0.method == "POST" }
            #expect(seen?.body.bytes.count == Self.piece * Self.pieces)
        }
    }
}
