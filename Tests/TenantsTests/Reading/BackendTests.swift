import Testing

@testable import Tenants

/// What a right `backend` and `websocket` come out as.
struct BackendTests {
    private static func backend(_ text: String) throws -> Backend {
        let result = Sample.read(Sample.tenant(backend: "{ servers: [http://a.test], \(text) }"))
        #expect(result.diagnostics.isEmpty)
        return try #require(result.configuration?.tenants.first?.backends.first)
    }

    @Test func everySchemeAndWeightIsRead() throws {
        let servers = "[http://a.test, { url: 'https://a.test', weight: 3 }, h2c://a.test:9003]"
        let result = Sample.read(Sample.tenant(backend: "{ servers: \(servers) }"))
        #expect(result.diagnostics.isEmpty)
        #expect(
            result.configuration?.tenants.first?.backends.first?.servers == [
                BackendServer(scheme: .http, address: HostPort(host: "a.test", port: 80)),
                BackendServer(scheme: .https, address: HostPort(host: "a.test", port: 443), weight: 3),
                BackendServer(scheme: .h2c, address: HostPort(host: "a.test", port: 9003)),
            ]
        )
    }

    @Test(arguments: [
        ("round_robin", Balance.roundRobin), ("least_requests", .leastRequests), ("hash:subject", .hashSubject),
    ])
    func everyBalanceIsRead(text: String, balance: Balance) throws {
        #expect(try Self.backend("balance: '\(text)'").balance == balance)
    }

    @Test func healthIsReadWithItsDefaults() throws {
        #expect(
            try Self.backend("health: { path: '/health?deep=1' }").health
                == HealthCheck(path: "/health?deep=1", every: .seconds(5), healthyAfter: 2, unhealthyAfter: 3)
        )
        #expect(
            try Self.backend("health: { path: /h, every: 200ms, healthy_after: 1, unhealthy_after: 7 }").health
                == HealthCheck(path: "/h", every: .milliseconds(200), healthyAfter: 1, unhealthyAfter: 7)
        )
        #expect(try Self.backend("balance: round_robin").health == nil)
    }

    @Test func retriesAreReadWithTheirDefaults() throws {
        let standard = RetryRules(
            attempts: 2,
            afterConnectFailure: true,
            afterReset: true,
            methods: ["GET", "HEAD", "OPTIONS"]
        )
        #expect(try Self.backend("balance: round_robin").retries == standard)
        #expect(try Self.backend("retries: { attempts: 2 }").retries == standard)
        #expect(
            try Self.backend("retries: { attempts: 1, on: [connect_failure], methods: [PUT, DELETE, TRACE] }").retries
                == RetryRules(
                    attempts: 1,
                    afterConnectFailure: true,
                    afterReset: false,
                    methods: ["PUT", "DELETE", "TRACE"]
                )
        )
        #expect(
            try Self.backend("retries: { attempts: 5, on: [reset_before_response], methods: [] }").retries
                == RetryRules(attempts: 5, afterConnectFailure: false, afterReset: true, methods: [])
        )
        #expect(
            try Self.backend("retries: { on: [] }").retries
                == RetryRules(afterConnectFailure: false, afterReset: false)
        )
    }

    @Test(arguments: [("{ on_expiry: close }", WebSocketRules.OnExpiry.close), ("{ on_expiry: keep }", .keep)])
    func webSocketRulesAreRead(section: String, onExpiry: WebSocketRules.OnExpiry) {
        let result = Sample.read(Sample.tenant(more: "websocket: \(section)"))
        #expect(result.diagnostics.isEmpty)
        #expect(result.configuration?.tenants.first?.webSocket == WebSocketRules(onExpiry: onExpiry))
    }

    @Test func webSocketTokenMayComeFromQueryOrSubprotocol() {
        let result = Sample.read(Sample.tenant(auth: "from: [bearer, 'query:token', 'header:Sec-WebSocket-Protocol']"))
        #expect(result.errors.isEmpty)
        #expect(
            result.configuration?.tenants.first?.authenticate.from == [
                .bearer, .query(name: "token"), .header(name: "sec-websocket-protocol"),
            ]
        )
    }
}
