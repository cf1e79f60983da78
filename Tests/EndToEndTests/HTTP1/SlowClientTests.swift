import TestSupport
import Testing

/// Clients that send without reading, or read late, affect only themselves.
@Suite struct SlowClientTests {
    @Test func serverConnectionIsReadAgainAfterSlowClient() async throws {
        let script = BackendScript { exchange in
            try await exchange.body()
            guard let size = Int(exchange.head.path.dropFirst("/open/".count)) else {
                return try await exchange.sendOK()
            }
            try await exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            try await exchange.send([UInt8](repeating: 7, count: size))
        }
        // One connection, so that the next request gets the one of the slow client.
        let setup = GatewaySetup(
            tenant: "backend: { servers: [\"{backend}\"], limits: { connections: 1 }, timeouts: { response: 5s } }"
        )
        try await withGateway(setup, backend: script) { fixture async throws in
            // Around the sizes that kernel and gateway buffer for a client that does not read.
            for size in stride(from: 150_000, through: 3_000_000, by: 150_000) {
                let slow = try await fixture.connect(receiveBuffer: 16 << 10)
                try await slow.send(fixture.head("/open/\(size)"))
                _ = try await fixture.backend.arrivals.next()
                async let answer = fixture.request("/open/next")
                #expect(try await slow.response().body.bytes.count == size)
                #expect(try await answer.status == 200)
                _ = try await fixture.backend.arrivals.next()
                await slow.close()
            }
        }
    }

    @Test func refusalsStopForClientThatDoesNotRead() async throws {
        let accepted = Tally()
        try await withGateway { fixture async throws in
            let client = try await fixture.connect(receiveBuffer: 16 << 10)
            let request = fixture.head("/private")
            let block = Array(String(repeating: request, count: 1 + (64 << 10) / request.utf8.count).utf8)
            let flood = Task {
                for _ in 0..<1024 {
                    try await client.send(block)
                    accepted.add(block.count)
                }
            }
            // Turns of the loop in which it could have read on.
            try await fixture.ping(times: 400)
            #expect(accepted.value < 16 << 20)
            try await client.reset()
            let end = await flood.result
            #expect(throws: (any Error).self) { try end.get() }
        }
    }
}
