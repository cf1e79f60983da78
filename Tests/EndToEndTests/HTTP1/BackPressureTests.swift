import TestSupport
import Testing

/// A side that does not read holds up the other, instead of filling the gateway's memory.
@Suite struct BackPressureTests {
    private static let piece = 64 << 10
    private static let pieces = 1024
    /// What two pairs of socket buffers and the gateway may hold between them; the whole is 64 MiB.
    private static let bound = 24 << 20
    private static let buffer = 128 << 10

    /// Turns of the gateway's one loop, in which it could have read on.
    private func pass(_ fixture: GatewayFixture, requests: Int) async throws {
        let client = try await fixture.connect()
        for _ in 0..<requests {
            try await client.send(fixture.head("/open/ping"))
            #expect(try await client.response().status == 200)
        }
    }

    @Test func aClientThatDoesNotReadHoldsUpTheBackend() async throws {
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
            let client = try await fixture.connect(receiveBuffer: Self.buffer)
            try await client.send(fixture.head("/open/large"))
            _ = try await fixture.backend.arrivals.next()
            try await pass(fixture, requests: 400)
            #expect(accepted.value < Self.bound)
            let body = try await client.response().body.bytes
            #expect(body.count == Self.piece * Self.pieces)
            let unharmed = body.allSatisfy { $0 == 7 }
            #expect(unharmed)
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
            let client = try await fixture.connect()
            let length = "Content-Length: \(Self.piece * Self.pieces)"
            try await client.send(fixture.head("/open/large", method: "POST", fields: [length]))
            let block = [UInt8](repeating: 7, count: Self.piece)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for _ in 0..<Self.pieces {
                        try await client.send(block)
                        accepted.add(Self.piece)
                    }
                }
                _ = try await fixture.backend.heads.next()
                try await pass(fixture, requests: 400)
                #expect(accepted.value < Self.bound)
                read.open()
                try await group.waitForAll()
            }
            #expect(try await client.response(to: "POST").status == 200)
            let seen = fixture.backend.requests.first { $0.method == "POST" }
            #expect(seen?.body.bytes.count == Self.piece * Self.pieces)
        }
    }

    @Test func pipelinedRequestsAreNotReadWithoutABound() async throws {
        let answer = Gate("the backend answers")
        try await withGateway(backend: .ok(after: answer, at: "/open/first")) { fixture async throws in
            let client = try await fixture.connect()
            let count = 2000
            try await client.send(fixture.head("/open/first"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 0..<count { try await client.send(fixture.head("/open/\(number)")) }
                }
                _ = try await fixture.backend.arrivals.next()
                #expect(fixture.backend.requests.count == 1)
                answer.open()
                for _ in 0...count { #expect(try await client.response().status == 200) }
                try await group.waitForAll()
            }
            #expect(fixture.backend.requests.dropFirst().map(\.target) == (0..<count).map { "/open/\($0)" })
        }
    }
}
