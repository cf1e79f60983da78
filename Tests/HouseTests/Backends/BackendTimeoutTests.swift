import Testing

/// `timeouts` of a backend, each by itself: the others are far longer than a test waits.
@Suite struct BackendTimeoutTests {
    private static func setup(_ servers: String, _ timeouts: String) -> HouseSetup {
        HouseSetup(tenant: "backend: { servers: [\(servers)], timeouts: { \(timeouts) } }")
    }

    @Test func aServerThatNeitherAcceptsNorRefusesIsUnavailable() async throws {
        let full = try FullPort()
        let setup = Self.setup("\"{full}\"", "connect: 300ms, response: 60s, idle: 60s")
        try await withHouse(setup, values: ["full": "http://127.0.0.1:\(full.port)"]) { house async throws in
            expectRefusal(try await house.request("/open/x"), 503, "backend_unavailable")
            let raw = house.head("/open/x", method: "POST", fields: ["Content-Length: 5"]) + "hello"
            expectRefusal(try await house.send(raw, method: "POST"), 503, "backend_unavailable")
            let metrics = try await house.metrics()
            #expect(metrics.value("gatehouse_backend_requests_total", ["outcome": "connect_failure"]) == 2)
        }
        withExtendedLifetime(full) {}
    }

    @Test func anotherServerTakesOverFromOneThatDoesNotAccept() async throws {
        let full = try FullPort()
        let setup = Self.setup("\"{full}\", \"{backend}\"", "connect: 300ms, response: 60s, idle: 60s")
        try await withHouse(setup, values: ["full": "http://127.0.0.1:\(full.port)"]) { house async throws in
            for _ in 0..<20 {
                #expect(try await house.request("/open/x", method: "POST").status == 200)
            }
            #expect(house.backend.requests.count == 20)
            // After two it is left alone for a while, so that not every caller waits for it.
            let metrics = try await house.metrics()
            #expect(metrics.value("gatehouse_backend_requests_total", ["outcome": "connect_failure"]) == 2)
        }
        withExtendedLifetime(full) {}
    }

    @Test func theResponseTimeoutBeginsWithTheEndOfTheRequest() async throws {
        let over = Gate("the test is over")
        let script = BackendScript { exchange in
            try await exchange.body()
            if exchange.head.path == "/open/silent" { try await over.passed() }
            try await exchange.sendOK()
        }
        let setup = Self.setup("\"{backend}\"", "connect: 60s, response: 400ms, idle: 60s")
        try await withHouse(setup, backend: script) { house async throws in
            let client = try await house.connect()
            try await client.send(house.head("/open/slow", method: "POST", fields: ["Content-Length: 3"]))
            _ = try await house.backend.heads.next()
            // Somebody else's timeout passes between the pieces of this body.
            for byte in ["a", "b", "c"] {
                expectRefusal(try await house.request("/open/silent"), 504, "backend_timeout")
                try await client.send(byte)
            }
            #expect(try await client.response(to: "POST").status == 200)
            over.open()
        }
    }

    @Test func anUnusedConnectionIsLetGo() async throws {
        let setup = Self.setup("\"{backend}\"", "connect: 60s, response: 60s, idle: 200ms")
        try await withHouse(setup) { house async throws in
            for number in 0..<3 {
                #expect(try await house.request("/open/x").status == 200)
                #expect(try await house.backend.ends.next() == number)
            }
        }
    }
}
