import Gateway
import Tenants
import TestSupport
import Testing
import Verification

/// tenants.yaml is reloaded while requests are served: completely or not at all, and without losing any.
@Suite struct ReloadTests {
    private static let strict = GatewaySetup(tenant: "access: [ { path: /open/**, allow: { roles: [admin] } } ]")
    private static let second = GatewaySetup(
        others: """
            second:
              hosts: [second.test]
              backend: { servers: ["{other}"] }
              authenticate:
                from: [bearer]
                issuers: [ { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" } ]
              access: [ { path: /open/**, allow: anyone } ]
            """
    )

    private func secret(_ fixture: GatewayFixture) throws -> String {
        try fixture.token(["iss": "https://secret.test"])
    }

    // MARK: Changes

    @Test func changedRulesApplyToNextRequest() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.connect()
            #expect(try await client.request(fixture.head("/open/x")).status == 200)
            await fixture.change(Self.strict)
            // On the same connection.
            expectRefusal(try await client.request(fixture.head("/open/x")), 401, "missing_token")
            let token = try secret(fixture)
            #expect(try await client.request(fixture.head("/x", token: token)).status == 200)
        }
    }

    @Test func tokenOfRemovedIssuerIsRefused() async throws {
        try await withGateway { fixture async throws in
            let token = try secret(fixture)
            // One connection, which caches its last token.
            let client = try await fixture.connect()
            for _ in 0..<2 {
                #expect(try await client.request(fixture.head("/x", token: token)).status == 200)
            }
            await fixture.change(
                GatewaySetup(
                    tenant: """
                        authenticate:
                          from: [bearer]
                          issuers: [ { issuer: "https://id.test", audiences: [app], algorithms: [RS256], jwks_file: "{jwks}" } ]
                        """
                )
            )
            expectRefusal(try await client.request(fixture.head("/x", token: token)), 401, "invalid_token")
            let hits = try await fixture.metrics().value("gatehouse_token_cache_total", ["result": "hit"])
            #expect(hits == 1)
        }
    }

    /// A reload touches nothing of a tenant that it does not change.
    @Test func verifiedTokensOfUnchangedTenantsAreKept() async throws {
        try await withGateway(Self.second) { fixture async throws in
            let token = try secret(fixture)
            let client = try await fixture.connect()
            #expect(try await client.request(fixture.head("/x", token: token)).status == 200)
            await fixture.change(GatewaySetup())
            #expect(try await client.request(fixture.head("/x", token: token)).status == 200)
            #expect(try await fixture.metrics().value("gatehouse_token_cache_total", ["result": "hit"]) == 1)
            #expect(try await fixture.metrics().value("gatehouse_token_cache_total", ["result": "miss"]) == 1)
            await fixture.change(Self.strict)
            #expect(try await client.request(fixture.head("/x", token: token)).status == 200)
            #expect(try await fixture.metrics().value("gatehouse_token_cache_total", ["result": "miss"]) == 2)
        }
    }

    @Test func tenantsAreAddedAndRemoved() async throws {
        try await withGateway { fixture async throws in
            expectRefusal(try await fixture.request("/open/x", host: "second.test"), 404, "unknown_host")
            await fixture.change(Self.second)
            #expect(try await fixture.request("/open/x", host: "second.test").status == 200)
            #expect(try await fixture.request("/x", host: "second.test", token: secret(fixture)).status == 200)
            await fixture.change(GatewaySetup())
            expectRefusal(try await fixture.request("/open/x", host: "second.test"), 404, "unknown_host")
            #expect(try await fixture.request("/open/x").status == 200)
            await fixture.change(Self.second)
            #expect(try await fixture.request("/open/x", host: "second.test").status == 200)
            #expect(fixture.other.requests.count == 3)
            let metrics = try await fixture.metrics()
            #expect(metrics.value("gatehouse_config_generation") == 4)
            #expect(metrics.value("gatehouse_config_reload_total", ["result": "success"]) == 3)
            // Counts span reloads, whatever the tenant's index was.
            #expect(metrics.value("gatehouse_requests_total", ["tenant": "second", "status": "200"]) == 3)
            #expect(metrics.value("gatehouse_requests_total", ["tenant": "", "status": "404"]) == 2)
        }
    }

    /// One deployment removes the tenant and its authority's file.
    @Test func tenantAndItsFilesMayBeRemoved() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let file = try scratch.write(try TestAuthority.trusted.get().pem(), to: "ca.pem")
        let guest = GatewaySetup(
            others: """
                guest:
                  hosts: [guest.test]
                  backend: { servers: ["https://127.0.0.1:9"], tls: { ca_file: "\(file)" } }
                  authenticate:
                    from: [bearer]
                    issuers: [ { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" } ]
                  access: [ { path: /**, allow: anyone } ]
                """
        )
        try await withGateway { fixture async throws in
            await fixture.change(guest)
            expectRefusal(try await fixture.request("/open/x", host: "guest.test"), 503, "backend_unavailable")
            scratch.remove()
            await fixture.change(GatewaySetup())
            expectRefusal(try await fixture.request("/open/x", host: "guest.test"), 404, "unknown_host")
            await fixture.change(Self.second)
            #expect(try await fixture.request("/open/x").status == 200)
        }
    }

    @Test func connectionsToUnchangedBackendAreKept() async throws {
        try await withGateway { fixture async throws in
            #expect(try await fixture.request("/open/x").status == 200)
            await fixture.change(Self.second)
            #expect(try await fixture.request("/open/x").status == 200)
            // With the timeouts of before: others would need other connections.
            await fixture.change(
                GatewaySetup(tenant: "backend: { servers: [\"{other}\", \"{backend}\"], timeouts: { connect: 20s } }")
            )
            for _ in 0..<4 { #expect(try await fixture.request("/open/x").status == 200) }
            #expect(fixture.backend.connections == 1)
            #expect(fixture.other.requests.count == 2)
        }
    }

    @Test func connectionsToRemovedServerEnd() async throws {
        try await withGateway { fixture async throws in
            #expect(try await fixture.request("/open/x").status == 200)
            await fixture.change(GatewaySetup(tenant: "backend: { servers: [\"{other}\"] }"))
            #expect(try await fixture.backend.ends.next() == 0)
            #expect(try await fixture.request("/open/x").status == 200)
            #expect(fixture.other.requests.count == 1)
        }
    }

    @Test func listenersAreAddedAndRemoved() async throws {
        try await withGateway { fixture async throws in
            let port = try ClosedPort().port
            let ordinary = #"{ address: "127.0.0.1:0" }"#
            let both = GatewaySetup(gateway: "listen: [ \(ordinary), { address: \"127.0.0.1:\(port)\" } ]")
            await fixture.change(both)
            let client = fixture.keep(RawClient(try await Wire.connect(to: HostPort(host: "127.0.0.1", port: port))))
            #expect(try await client.request(fixture.head("/open/x")).status == 200)
            await fixture.change(GatewaySetup())
            // Existing connections stay.
            #expect(try await client.request(fixture.head("/open/x")).status == 200)
            await #expect(throws: (any Error).self) {
                _ = try await Wire.connect(to: HostPort(host: "127.0.0.1", port: port))
            }
            #expect(try await fixture.request("/open/x").status == 200)
        }
    }

    // MARK: Refused reloads

    @Test func fileWithMistakesChangesNothing() async throws {
        try await withGateway { fixture async throws in
            let report = await fixture.reload(
                GatewaySetup(tenant: "access: [ { path: /open/**, allow: { roles: [admin] } } ]\nmode: sometimes")
            )
            #expect(report.result == .refused)
            #expect(report.generation == 1)
            #expect(report.mistakes.count == 1)
            #expect(report.mistakes.first?.hasPrefix("tenants.yaml:") == true)
            #expect(try await fixture.request("/open/x").status == 200)
            let metrics = try await fixture.metrics()
            #expect(metrics.value("gatehouse_config_reload_total", ["result": "failure"]) == 1)
            #expect(metrics.value("gatehouse_config_last_reload_successful") == 0)
            #expect(metrics.value("gatehouse_config_generation") == 1)
            #expect(await fixture.reload(GatewaySetup()).result == .unchanged)
            #expect(try await fixture.metrics().value("gatehouse_config_last_reload_successful") == 1)
            #expect(fixture.log.text.contains("the one before stays in force"))
        }
    }

    @Test func takenListenAddressChangesNothing() async throws {
        try await withGateway { fixture async throws in
            var setup = Self.strict
            setup.gateway =
                "listen: [ { address: \"127.0.0.1:0\" }, { address: \"127.0.0.1:\(fixture.backend.port)\" } ]"
            let report = await fixture.reload(setup)
            #expect(report.result == .refused && report.mayRetry)
            let message = "gateway.listen: cannot listen on 127.0.0.1:\(fixture.backend.port): "
            #expect(report.mistakes.first?.hasPrefix(message) == true, "\(report.mistakes)")
            #expect(try await fixture.request("/open/x").status == 200)
        }
    }

    // MARK: Requests under way

    @Test func requestUnderWayKeepsItsConfiguration() async throws {
        let gate = Gate("the end of the reload")
        try await withGateway(backend: .ok(after: gate)) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/slow"))
            _ = try await fixture.backend.heads.next()
            await fixture.change(GatewaySetup(tenant: "backend: { servers: [\"{other}\"] }"))
            gate.open()
            #expect(try await client.response().status == 200)
            // The connection's next request uses the new configuration.
            #expect(try await client.request(fixture.head("/open/x")).status == 200)
            #expect(fixture.other.requests.count == 1)
        }
    }

    /// A scrape visits one event loop after another, and a reload may come in between.
    @Test func metricsAreServedWhileTenantsAreAdded() async throws {
        try await withGateway(GatewaySetup(gateway: "threads: 2")) { fixture async throws in
            let isOver = Switch(false)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<2 {
                    tasks.addTask {
                        while !isOver.isOn {
                            let metrics = try await fixture.metrics()
                            #expect(metrics.value("gatehouse_config_generation") != nil)
                        }
                    }
                }
                for turn in 0..<40 {
                    let others = Self.second.others.replacing("second", with: "t\(turn)")
                    await fixture.change(GatewaySetup(gateway: "threads: 2", others: others))
                }
                isOver.turn(on: true)
                try await tasks.waitForAll()
            }
            let metrics = try await fixture.metrics()
            #expect(metrics.value("gatehouse_config_generation") == 41)
        }
    }

    @Test func reloadsLoseNoRequest() async throws {
        try await withGateway { fixture async throws in
            let token = try secret(fixture)
            let isOver = Switch(false)
            let answered = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for number in 0..<8 {
                    tasks.addTask {
                        let client = try await fixture.connect()
                        var count = 0
                        while !isOver.isOn || count == 0 {
                            try await client.send(
                                fixture.head(number.isMultiple(of: 2) ? "/open/x" : "/x", token: token)
                            )
                            #expect(try await client.response().status == 200)
                            count += 1
                        }
                        return count
                    }
                }
                let servers = ["[\"{backend}\"]", "[\"{backend}\", \"{other}\"]", "[\"{other}\"]"]
                for turn in 0..<30 {
                    var setup = turn.isMultiple(of: 2) ? Self.second : GatewaySetup()
                    setup.tenant = "backend: { servers: \(servers[turn % 3]) }"
                    await fixture.change(setup)
                }
                isOver.turn(on: true)
                return try await tasks.reduce(0, +)
            }
            let metrics = try await fixture.metrics()
            #expect(metrics.value("gatehouse_requests_total", ["tenant": "app"]) == Double(answered))
            #expect(metrics.value("gatehouse_requests_total", ["tenant": "app", "status": "200"]) == Double(answered))
        }
    }

    // MARK: State across reloads

    @Test func revocationsHoldAfterReload() async throws {
        let signOut = GatewaySetup(tenant: "revoke_on: [\"POST /logout\"]")
        try await withGateway(signOut) { fixture async throws in
            let token = try fixture.token(["iss": "https://secret.test", "jti": "t1"])
            #expect(try await fixture.request("/logout", method: "POST", token: token).status == 200)
            await fixture.change(Self.second)
            expectRefusal(try await fixture.request("/x", token: token), 401, "token_revoked")
            await fixture.change(GatewaySetup(tenant: "hosts: [app.test, www.app.test]"))
            expectRefusal(try await fixture.request("/x", host: "www.app.test", token: token), 401, "token_revoked")
        }
    }

    @Test func revocationAfterReloadEndsOlderConnection() async throws {
        let script = BackendScript { exchange in
            try await exchange.body()
            guard exchange.head.path == "/events" else { return try await exchange.sendOK() }
            try await exchange.send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
            try await exchange.gone()
        }
        try await withGateway(GatewaySetup(tenant: "revoke_on: [\"POST /logout\"]"), backend: script) {
            fixture async throws in
            let token = try fixture.token(["iss": "https://secret.test", "jti": "t1", "sid": "s1"])
            let client = try await fixture.connect()
            try await client.send(fixture.head("/events", token: token))
            #expect(try await client.head().status == 200)
            await fixture.change(GatewaySetup(tenant: "revoke_on: [\"POST /logout\"]\nmax_staleness: 5m"))
            #expect(try await fixture.request("/logout", method: "POST", token: token).status == 200)
            _ = try await client.untilClosed()
        }
    }

    @Test func rateLimitCountSurvivesReload() async throws {
        let limit = "rate_limits: [ { by: tenant, rate: 1/h, burst: 1 } ]"
        try await withGateway(GatewaySetup(tenant: limit)) { fixture async throws in
            #expect(try await fixture.request("/open/x").status == 200)
            var setup = Self.second
            setup.tenant = limit
            await fixture.change(setup)
            expectRefusal(try await fixture.request("/open/x"), 429, "rate_limited")
            await fixture.change(Self.second)
            #expect(try await fixture.request("/open/x").status == 200)
        }
    }
}
