import Testing

/// A server to which no connection comes about.
@Suite struct ServerUnreachableTests {
    @Test func aServerThatRefusesConnectionsIsUnavailableAtOnce() async throws {
        try await withHouse(.failing(server: "{nobody}")) { house async throws in
            for _ in 0..<5 {
                for request in try await house.sendBoth("/open/x") {
                    expectRefusal(try await request.answer(), 503, "backend_unavailable", request.version)
                }
                try await house.expectNeighbourServed(times: 1)
            }
            try await house.expectRefused("backend_unavailable", 503, 10)
            try await house.expectCounted("connect_failure", 10)
        }
    }

    @Test func aServerThatAnswersNoConnectIsUnavailableAfterTheConnectTimeout() async throws {
        let hole = try BlackHole()
        let setup = HouseSetup.failing(
            server: "http://127.0.0.1:\(hole.port)",
            backend: "timeouts: { connect: 300ms }"
        )
        try await withHouse(setup) { house async throws in
            let waiting = try await house.sendBoth("/open/x", host: "patient.test")
            try await house.expectNeighbourServed()
            for request in try await house.sendBoth("/open/x") {
                expectRefusal(try await request.answer(), 503, "backend_unavailable", request.version)
            }
            try await house.expectNeighbourServed()
            try await house.expectRefused("backend_unavailable", 503, 2)
            for request in waiting { await request.close() }
        }
        withExtendedLifetime(hole) {}
    }

    /// Once it is known that connecting hangs, callers are told at once: they do not pile up.
    @Test func callersDoNotPileUpAtAServerThatAnswersNoConnect() async throws {
        let hole = try BlackHole()
        let setup = HouseSetup.failing(
            server: "http://127.0.0.1:\(hole.port)",
            backend: "timeouts: { connect: 300ms }"
        )
        try await withHouse(setup) { house async throws in
            var requests: [PendingRequest] = []
            for _ in 0..<20 { requests += try await house.sendBoth("/open/x") }
            try await house.expectNeighbourServed()
            for request in requests {
                expectRefusal(try await request.answer(), 503, "backend_unavailable", request.version)
            }
            let labels = ["tenant": "app", "outcome": "connect_failure"]
            let before = try await house.metrics().value("gatehouse_backend_requests_total", labels) ?? 0
            for _ in 0..<50 {
                expectRefusal(try await house.request("/open/x"), 503, "backend_unavailable")
            }
            let after = try await house.metrics().value("gatehouse_backend_requests_total", labels) ?? 0
            #expect(after - before < 50, "each of them waited for the connect timeout")
            try await house.expectNeighbourServed()
        }
        withExtendedLifetime(hole) {}
    }
}
