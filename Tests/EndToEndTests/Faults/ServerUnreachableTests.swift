import Testing

/// Servers that cannot be connected to.
@Suite struct ServerUnreachableTests {
    @Test func serverThatRefusesConnectionsIsUnavailableAtOnce() async throws {
        try await withGateway(.failing(server: "{nobody}")) { fixture async throws in
            for _ in 0..<5 {
                for request in try await fixture.sendBoth("/open/x") {
                    expectRefusal(try await request.response(), 503, "backend_unavailable", request.version)
                }
                try await fixture.expectNeighbourServed(times: 1)
            }
            try await fixture.expectRefused("backend_unavailable", 503, 10)
            try await fixture.expectCounted("connect_failure", 10)
            let lines = fixture.log.text.split(separator: "\n").filter { $0.contains("server cannot be reached") }
            let line = try await fixture.accessLog.next()
            #expect(line["outcome"] == "backend_unavailable")
            #expect(line["reason"]?.string?.hasSuffix(": connection refused") == true, "\(line)")
            #expect(lines.count == 1 && lines.allSatisfy { $0.contains("connection refused") }, "\(lines)")
        }
    }

    @Test func hangingConnectIsUnavailableAfterTimeout() async throws {
        let hole = try BlackHole()
        let setup = GatewaySetup.failing(
            server: "http://127.0.0.1:\(hole.port)",
            backend: "timeouts: { connect: 300ms }"
        )
        try await withGateway(setup) { fixture async throws in
            let waiting = try await fixture.sendBoth("/open/x", host: "patient.test")
            try await fixture.expectNeighbourServed()
            for request in try await fixture.sendBoth("/open/x") {
                expectRefusal(try await request.response(), 503, "backend_unavailable", request.version)
            }
            try await fixture.expectNeighbourServed()
            try await fixture.expectRefused("backend_unavailable", 503, 2)
            for request in waiting { await request.close() }
        }
        withExtendedLifetime(hole) {}
    }

    /// Once connecting is known to hang, requests are refused at once and do not pile up.
    @Test func callersDoNotPileUpAtHangingConnect() async throws {
        let hole = try BlackHole()
        let setup = GatewaySetup.failing(
            server: "http://127.0.0.1:\(hole.port)",
            backend: "timeouts: { connect: 300ms }"
        )
        try await withGateway(setup) { fixture async throws in
            var requests: [PendingRequest] = []
            for _ in 0..<20 { requests += try await fixture.sendBoth("/open/x") }
            try await fixture.expectNeighbourServed()
            for request in requests {
                expectRefusal(try await request.response(), 503, "backend_unavailable", request.version)
            }
            let labels = ["tenant": "app", "outcome": "connect_failure"]
            let before = try await fixture.metrics().value("gatehouse_backend_requests_total", labels) ?? 0
            for _ in 0..<50 {
                expectRefusal(try await fixture.request("/open/x"), 503, "backend_unavailable")
            }
            let after = try await fixture.metrics().value("gatehouse_backend_requests_total", labels) ?? 0
            #expect(after - before < 50, "each of them waited for the connect timeout")
            try await fixture.expectNeighbourServed()
        }
        withExtendedLifetime(hole) {}
    }
}
