import Synchronization
import TestSupport
import Testing

/// Health probes eject a server and bring it back.
@Suite struct HealthTests {
    /// A probe that takes longer than `every` fails, so this leaves a busy machine enough time.
    private static let health = "health: { path: /health, every: 1s, healthy_after: 2, unhealthy_after: 3 }"

    /// The statuses of `/health`: a repeated pattern.
    private final class Health: Sendable {
        private struct State {
            var pattern = [200]
            var position = 0
            var generation = 0
        }

        private let state = Mutex(State())
        private let probes = Mailbox<Int>("a probe")

        func show(_ pattern: Int...) {
            state.withLock { state in
                state.pattern = pattern
                state.position = 0
                state.generation += 1
            }
        }

        func next() -> Int {
            let (status, generation) = state.withLock { state in
                defer { state.position += 1 }
                return (state.pattern[state.position % state.pattern.count], state.generation)
            }
            probes.put(generation)
            return status
        }

        /// Waits until the current pattern was probed `count` times and the gateway has the results.
        func probed(_ count: Int) async throws {
            let current = state.withLock { $0.generation }
            var seen = 0
            while seen <= count { if try await probes.next() == current { seen += 1 } }
        }
    }

    private static func script(_ index: Int, _ health: Health?) -> BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            guard exchange.head.path == "/health" else { return try await exchange.sendOK("\(index)") }
            let status = health?.next() ?? 200
            try await exchange.send("HTTP/1.1 \(status) Status\r\nContent-Length: 0\r\n\r\n")
        }
    }

    private func isHealthy(_ fixture: GatewayFixture, _ server: String) async throws -> Bool {
        let metrics = try await fixture.metrics()
        return try #require(metrics.value("gatehouse_backend_healthy", ["tenant": "app", "server": server])) == 1
    }

    /// Waits for the server's state to change. `ProbeHistoryTests` checks how many probes that takes: on a busy machine
    /// a late one may count as failed.
    private func expect(
        _ server: String,
        becomes healthy: Bool,
        _ health: Health,
        _ fixture: GatewayFixture
    ) async throws {
        for _ in 0..<30 {
            try await health.probed(1)
            if try await isHealthy(fixture, server) == healthy { return }
        }
        Issue.record("\(server) is not \(healthy ? "healthy" : "unhealthy") after 60 probes")
    }

    @Test func unhealthyServerGetsNothingUntilHealthy() async throws {
        let health = Health()
        let script = { (index: Int) in Self.script(index, index == 0 ? health : nil) }
        try await withFleet(2, Self.health, script: script) { fixture, fleet async throws in
            health.show(503)
            try await expect(fleet.label(0), becomes: false, health, fixture)
            #expect(try await isHealthy(fixture, fleet.label(1)))
            for _ in 0..<10 { #expect(try await fixture.request("/open/x").body.text == "1") }

            health.show(200, 503)
            try await health.probed(4)
            #expect(try await !isHealthy(fixture, fleet.label(0)))
            for _ in 0..<10 { #expect(try await fixture.request("/open/x").body.text == "1") }
            #expect(fleet.openCounts[0] == 0)

            health.show(200)
            try await expect(fleet.label(0), becomes: true, health, fixture)
            // Its share starts at a tenth.
            for _ in 0..<60 { #expect(try await fixture.request("/open/x").status == 200) }
            #expect((2..<30).contains(fleet.openCounts[0]), "\(fleet.openCounts)")
            #expect(fixture.log.text.contains("server is not healthy"))
            #expect(fixture.log.text.contains("server is healthy again"))
        }
    }

    /// If each tenant probed by itself, neither would see three bad answers in a row. A server that is up again is not
    /// used before 100 good ones, which tells a probe that went on from a new one.
    @Test func serverOfTwoTenantsIsProbedOnceForBoth() async throws {
        let health = Health()
        let fleet = try await Fleet.start(1) { Self.script($0, health) }
        let server = fleet.label(0)
        let backend = """
            backend: { servers: ["\(server)"], health: { path: /health, every: 1s, healthy_after: 100, unhealthy_after: 3 } }
            """
        let alone = GatewaySetup(tenant: backend)
        let both = GatewaySetup(
            tenant: backend,
            others: """
                second:
                  hosts: [second.test]
                  \(backend)
                  authenticate:
                    from: [bearer]
                    issuers: [ { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" } ]
                """
        )
        try await attempt {
            try await withGateway(both) { fixture async throws in
                func areDown(_ tenants: String...) async throws -> Bool {
                    let metrics = try await fixture.metrics()
                    return tenants.allSatisfy { tenant in
                        metrics.value("gatehouse_backend_healthy", ["tenant": tenant, "server": server]) == 0
                    }
                }
                try await health.probed(1)
                health.show(503, 503, 503, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200)
                try await health.probed(3)
                #expect(try await areDown("app", "second"))

                await fixture.change(alone)
                #expect(try await areDown("app"))
                try await health.probed(1)
                #expect(try await areDown("app"), "its probes go on")

                await fixture.change(both)
                try await health.probed(1)
                #expect(try await areDown("app", "second"), "a new tenant learns what is known")
            }
        } finally: {
            await fleet.stop()
        }
    }

    @Test func requestWithoutHealthyServerIsRefusedAtOnce() async throws {
        let health = Health()
        health.show(500)
        try await withFleet(1, Self.health, script: { Self.script($0, health) }) { fixture, fleet async throws in
            try await expect(fleet.label(0), becomes: false, health, fixture)
            for method in ["GET", "POST"] {
                let response = try await fixture.request("/open/x", method: method)
                expectRefusal(response, 503, "backend_unavailable")
            }
            #expect(fleet.openCounts == [0])

            health.show(200)
            try await expect(fleet.label(0), becomes: true, health, fixture)
            #expect(try await fixture.request("/open/x").status == 200)
        }
    }

    @Test func unansweredProbeCountsAsFailure() async throws {
        let probes = Mailbox<Void>("a probe")
        let over = Gate("the test is over")
        let script = { (index: Int) in
            BackendScript { exchange in
                try await exchange.body()
                guard exchange.head.path == "/health" else { return try await exchange.sendOK("\(index)") }
                guard index == 0 else { return try await exchange.sendOK() }
                probes.put(())
                try await over.passed()
            }
        }
        try await withFleet(2, Self.health, script: script) { fixture, fleet async throws in
            // The fourth starts when the third has timed out.
            for _ in 0..<4 { try await probes.next() }
            let metrics = try await fixture.metrics {
                $0.value("gatehouse_backend_healthy", ["server": fleet.label(0)]) == 0
            }
            #expect(metrics.value("gatehouse_backend_healthy", ["server": fleet.label(1)]) == 1)
            for _ in 0..<6 { #expect(try await fixture.request("/open/x").body.text == "1") }
            over.open()
        }
    }

    @Test func probesAreNotCountedAsRequests() async throws {
        let health = Health()
        try await withFleet(1, Self.health, script: { Self.script($0, health) }) { fixture, _ async throws in
            health.show(200)
            try await health.probed(3)
            #expect(try await fixture.request("/open/x").status == 200)
            let metrics = try await fixture.metrics { $0.value("gatehouse_requests_total") == 1 }
            #expect(metrics.value("gatehouse_backend_requests_total", ["outcome": "answered"]) == 1)
            #expect(!fixture.accessLog.text.contains("/health"))
        }
    }
}
