import Testing

/// A server that resets the connection before its answer is there.
@Suite struct ResetTests {
    @Test func aServerThatResetsBeforeItsFirstByteIsABadGateway() async throws {
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.reset()
        }
        try await withHouse(.failing(), backend: script) { house async throws in
            for _ in 0..<5 {
                for request in try await house.sendBoth("/open/x") {
                    expectRefusal(try await request.answer(), 502, "backend_unavailable", request.version)
                }
                try await house.expectNeighbourServed(times: 1)
            }
            // A GET has two tries.
            #expect(house.backend.requests.count == 20)
            try await house.expectRefused("backend_unavailable", 502, 10)
            try await house.expectCounted("failed", 20)
        }
    }

    @Test func aRequestThatMayNotBeRepeatedIsTriedOnce() async throws {
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.reset()
        }
        try await withHouse(.failing(), backend: script) { house async throws in
            for request in try await house.sendBoth("/open/x", method: "POST", body: "once") {
                expectRefusal(try await request.answer(), 502, "backend_unavailable", request.version)
            }
            #expect(house.backend.requests.count == 2)
            try await house.expectNeighbourServed()
        }
    }

    /// The server has begun to answer, so that not even a GET is repeated.
    @Test func aServerThatResetsAfterItsFirstByteIsABadGateway() async throws {
        let reset = Gate("the server resets")
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.send("HTTP/1.1 200 OK\r\nContent-Le")
            try await reset.passed()
            try await exchange.reset()
        }
        try await withHouse(.failing(), backend: script) { house async throws in
            let requests = try await house.sendBoth("/open/x")
            for _ in requests { _ = try await house.backend.arrivals.next() }
            try await house.expectNeighbourServed()
            reset.open()
            for request in requests {
                expectRefusal(try await request.answer(), 502, "backend_unavailable", request.version)
            }
            #expect(house.backend.requests.count == 2)
            try await house.expectNeighbourServed()
            try await house.expectRefused("backend_unavailable", 502, 2)
            try await house.expectCounted("failed", 2)
        }
    }
}
