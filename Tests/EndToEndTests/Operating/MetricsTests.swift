import Testing
import Verification

/// Metrics of requests.
@Suite struct MetricsTests {
    @Test func requestsAreCountedByTenantMethodAndStatus() async throws {
        try await withGateway { fixture async throws in
            let token = try fixture.token()
            for _ in 0..<3 { _ = try await fixture.request("/x", token: token) }
            for _ in 0..<2 { _ = try await fixture.request("/x", method: "POST") }
            _ = try await fixture.request("/open/x", method: "HEAD")
            let metrics = try await fixture.metrics { metrics in
                metrics.value("gatehouse_requests_total", ["tenant": "app"]) == 6
            }
            let expected: [([String: String], Double)] = [
                (["method": "GET", "status": "200"], 3), (["method": "POST", "status": "401"], 2),
                (["method": "HEAD", "status": "200"], 1),
            ]
            for (labels, count) in expected {
                let all = labels.merging(["tenant": "app"]) { first, _ in first }
                #expect(metrics.value("gatehouse_requests_total", all) == count, "\(labels)")
            }
            #expect(metrics.types["gatehouse_requests_total"] == "counter")
        }
    }

    @Test func decisionsAreCountedByOutcome() async throws {
        let setup = GatewaySetup(
            tenant: """
                access:
                  - { path: /open/**, allow: anyone }
                  - { path: /admin/**, allow: { roles: [admin] } }
                  - { path: /write/**, allow: { scopes: [write] } }
                """
        )
        try await withGateway(setup) { fixture async throws in
            let token = try fixture.token()
            _ = try await fixture.request("/x", token: token)
            _ = try await fixture.request("/x")
            _ = try await fixture.request("/x", token: "rubbish")
            _ = try await fixture.request("/x", token: try fixture.token(["exp": TestIssuer.fromNow(-3600)]))
            _ = try await fixture.request("/admin/x", token: token)
            _ = try await fixture.request("/write/x", token: token)
            let metrics = try await fixture.metrics { metrics in
                metrics.value("gatehouse_auth_decisions_total", ["tenant": "app"]) == 6
            }
            let codes = ["missing_token", "invalid_token", "token_expired", "insufficient_role", "insufficient_scope"]
            for code in codes {
                let count = metrics.value("gatehouse_auth_decisions_total", ["tenant": "app", "outcome": code])
                #expect(count == 1, "\(code)")
            }
            let granted = metrics.samples.filter { sample in
                sample.name == "gatehouse_auth_decisions_total"
                    && !refusalCodes.contains(sample.labels["outcome"] ?? "")
            }
            #expect(granted.reduce(0) { $0 + $1.value } == 1)
        }
    }

    @Test func tokenCacheIsCounted() async throws {
        try await withGateway { fixture async throws in
            let token = try fixture.token()
            for _ in 0..<3 { _ = try await fixture.request("/x", token: token) }
            let metrics = try await fixture.metrics { metrics in
                metrics.value("gatehouse_token_cache_total") == 3
            }
            #expect(metrics.value("gatehouse_token_cache_total", ["result": "hit"]) == 2)
            #expect(metrics.value("gatehouse_token_cache_total", ["result": "miss"]) == 1)
        }
    }

    @Test func backendRequestsAndConnectionsAreCounted() async throws {
        try await withGateway { fixture async throws in
            for _ in 0..<2 { _ = try await fixture.request("/open/x") }
            let metrics = try await fixture.metrics { metrics in
                metrics.value("gatehouse_backend_requests_total", ["tenant": "app"]) == 2
            }
            let servers = metrics.samples.filter { $0.name == "gatehouse_backend_requests_total" }
            let names = Set(servers.compactMap { $0.labels["server"] })
            #expect(names.count == 1)
            #expect(names.first?.contains("127.0.0.1:\(fixture.backend.port)") == true)
            #expect(metrics.types["gatehouse_connections"] == "gauge")
        }
    }

    @Test func everyMetricHasHelpAndType() async throws {
        try await withGateway { fixture async throws in
            _ = try await fixture.request("/open/x")
            let metrics = try await fixture.metrics { metrics in
                metrics.value("gatehouse_requests_total", ["tenant": "app"]) == 1
            }
            for sample in metrics.samples {
                let family = ["_bucket", "_count", "_sum"].reduce(sample.name) { name, suffix in
                    name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
                }
                #expect(metrics.types[family] != nil || metrics.types[sample.name] != nil, "\(sample.name)")
                #expect(metrics.helps.contains(family) || metrics.helps.contains(sample.name), "\(sample.name)")
            }
        }
    }

    @Test func metricsContainNothingFromClient() async throws {
        try await withGateway { fixture async throws in
            let token = try fixture.token(["exp": TestIssuer.fromNow(-3600)])
            _ = try await fixture.request("/very/private/path?token=\(token)", token: token)
            _ = try await fixture.request("/very/private/path", host: "unheard-of.test")
            let response = try await fixture.admin("/metrics")
            for text in [token, "private", "unheard-of", TestIssuer.secret] {
                #expect(!response.body.text.contains(text))
            }
        }
    }
}
