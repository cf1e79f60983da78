import Testing
import Verification

/// Rate limits. Their rates are so low that no allowance is restored during a test.
@Suite struct RateLimitedRequestTests {
    private static func fixture(_ limits: String, gateway: String = "") -> GatewaySetup {
        GatewaySetup(gateway: gateway, tenant: "rate_limits: [\(limits)]")
    }

    /// How many of `count` requests pass; the others must be refused by the limit.
    private static func passed(_ count: Int, _ ask: () async throws -> RawResponse) async throws -> Int {
        var passed = 0
        for _ in 0..<count {
            let response = try await ask()
            if response.status == 429 { expectRefusal(response, 429, "rate_limited") } else { passed += 1 }
        }
        return passed
    }

    @Test func firstRequestOverLimitIsRefusedWithDetails() async throws {
        try await withGateway(Self.fixture("{ by: ip, rate: 1/h, burst: 3 }")) { fixture async throws in
            #expect(try await Self.passed(3) { try await fixture.request("/open/x") } == 3)
            let refused = try await fixture.request("/open/x")
            expectRefusal(refused, 429, "rate_limited")
            let retryAfter = try #require(refused.fields["Retry-After"].first.flatMap { Int($0) })
            #expect((3000...3600).contains(retryAfter))
            #expect(refused.fields["RateLimit-Policy"] == ["\"ip\";q=3;w=10800"])
            #expect(refused.fields["RateLimit"] == ["\"ip\";r=0;t=\(retryAfter)"])
            #expect(fixture.backend.requests.count == 3)
            let metrics = try await fixture.metrics { $0.value("gatehouse_rate_limited_total") == 1 }
            #expect(
                metrics.value("gatehouse_rate_limited_total", ["tenant": "app", "limit": "ip", "mode": "enforce"]) == 1
            )
            #expect(metrics.value("gatehouse_auth_decisions_total", ["outcome": "rate_limited"]) == 1)
        }
    }

    @Test func limitCountsPerSubjectAndIssuer() async throws {
        try await withGateway(Self.fixture("{ by: subject, rate: 1/h, burst: 2 }")) { fixture async throws in
            let (alice, bob) = (try fixture.token(["sub": "alice"]), try fixture.token(["sub": "bob"]))
            #expect(try await Self.passed(5) { try await fixture.request("/x", token: alice) } == 2)
            // Another token of the same caller shares the limit.
            let again = try fixture.token(["sub": "alice", "jti": "another"])
            #expect(try await Self.passed(2) { try await fixture.request("/x", token: again) } == 0)
            #expect(try await Self.passed(3) { try await fixture.request("/x", token: bob) } == 2)
            let other = try fixture.token(["sub": "alice"], algorithm: .es256)
            #expect(try await Self.passed(3) { try await fixture.request("/x", token: other) } == 2)
            // Anonymous requests have no subject.
            #expect(try await Self.passed(5) { try await fixture.request("/open/x") } == 5)
        }
    }

    @Test func limitIsSharedByEventLoops() async throws {
        let setup = Self.fixture("{ by: ip, rate: 1/h, burst: 20 }", gateway: "threads: 2")
        try await withGateway(setup) { fixture async throws in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<60 { group.addTask { try await fixture.request("/open/x").status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 20)
            #expect(statuses.count { $0 == 429 } == 40)
        }
    }

    /// `TenantLimitsTests` has the other addresses.
    @Test func limitCountsClientBehindTrustedProxy() async throws {
        let setup = Self.fixture("{ by: ip, rate: 1/h, burst: 2 }", gateway: "trusted_proxies: [127.0.0.1/32]")
        try await withGateway(setup) { fixture async throws in
            for client in ["203.0.113.7", "203.0.113.8"] {
                let passed = try await Self.passed(3) {
                    try await fixture.request("/open/x", fields: ["X-Forwarded-For: \(client), 127.0.0.1"])
                }
                #expect(passed == 2)
            }
        }
    }

    @Test func http2RequestIsLimited() async throws {
        try await withGateway(Self.fixture("{ by: ip, rate: 1/h, burst: 1 }")) { fixture async throws in
            let client = try await fixture.http2()
            #expect(try await client.request("/open/x").status == 200)
            let refused = try await client.request("/open/x")
            #expect(refused.status == 429)
            #expect(refused.fields["ratelimit-policy"] == ["\"ip\";q=1;w=3600"])
            #expect(refused.fields["ratelimit"].first?.hasPrefix("\"ip\";r=0;t=3") == true)
            #expect(refused.fields["retry-after"].count == 1)
        }
    }

    /// The endpoint is served in these spellings too.
    @Test func everySpellingOfEndpointCounts() async throws {
        let setup = GatewaySetup(
            tenant: """
                rate_limits: [ { by: ip, rate: 1/h, burst: 2, path: /auth/apple } ]
                sign_in:
                  apple: { path: /auth/apple, client_ids: [com.example.app], nonce: required, then: forward }
                """
        )
        try await withGateway(setup) { fixture async throws in
            var spellings = ["/auth/apple", "/Auth/APPLE", "/auth//apple", "/auth/apple/"].makeIterator()
            let passed = try await Self.passed(4) {
                try await fixture.request(try #require(spellings.next()), method: "PUT")
            }
            #expect(passed == 2)
        }
    }
}
