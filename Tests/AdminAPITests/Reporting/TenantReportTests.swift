import Counting
import Testing
import Verification

@testable import AdminAPI
@testable import SharedState
@testable import Tenants

/// Counts by tenant.
struct TenantReportTests {
    private func count() -> GatewayCount {
        var counters = Counters(tenantCount: 2)
        for status in [200, 200, 404] {
            counters.count(tenant: 1, method: .get, status: status, outcome: .granted)
        }
        counters.count(tenant: 1, method: .post, status: 200, outcome: .anonymous)
        counters.count(tenant: 0, method: .get, status: 401, outcome: .refused(.missingToken))
        counters.count(tenant: 1, wouldRefuse: .tokenExpired)
        counters.time(tenant: 1, duration: 750_000, overhead: 20_000)
        var shared = SharedCount(storeIsUp: true, revocations: ["two": 6], staleness: 0.25, keySets: [])
        shared.limits = [
            LimitCount(tenant: 0, limit: "ip", mode: .enforce, count: 9),
            LimitCount(tenant: 1, limit: "subject", mode: .enforce, count: 2),
            LimitCount(tenant: 1, limit: "subject", mode: .observe, count: 3),
        ]
        shared.refreshes = [0: ["failed": 1], 1: ["refreshed": 4]]
        let backends = ["one", "two"].map { tenant in
            BackendCount(
                tenant: tenant,
                backend: "default",
                server: "http://\(tenant):1",
                counts: BackendCounters(answers: 3, failures: 0, timeouts: 1, connectFailures: 0),
                isHealthy: tenant == "two"
            )
        }
        let tenants = [tenant { $0.name = "one" }, tenant()]
        let configuration = TenantsConfiguration(gateway: GatewaySettings(listeners: []), tenants: tenants)
        return GatewayCount(
            snapshot: ConfigurationSnapshot(configuration, at: 0),
            counters: counters,
            backends: backends,
            shared: shared
        )
    }

    private func tenant(_ change: (inout Tenant) -> Void = { _ in }) -> Tenant {
        var tenant = Tenant(
            TenantSettings(
                name: "two",
                hosts: [.exact("two.test"), .oneLabelBelow("below.test")],
                backends: [Backend(servers: [BackendServer(address: HostPort(host: "two", port: 1))])],
                authenticate: Authentication(from: [.bearer], policy: VerificationPolicy(issuers: []))
            )
        )
        change(&tenant)
        return tenant
    }

    private func report(_ tenant: Tenant, keySets: [KeySetStatus] = []) -> JSONObject {
        TenantReports(count(), of: [1], keySets: keySets).json(tenant, index: 1)
    }

    @Test func reportHasOnlyTheTenantsNumbers() throws {
        let report = report(tenant())
        #expect(report["requests"] == ["total": 4, "by_status": ["200": 3, "404": 1]])
        #expect(report["decisions"] == ["anonymous": 1, "granted": 3])
        #expect(report["would_refuse"] == ["token_expired": 1])
        #expect(report["rate_limited"] == ["subject": 5])
        #expect(report["refreshes"] == ["refreshed": 4])
        #expect(report["revocations"] == 6)
        #expect(report["latency"]?.object?["count"] == 1)
        let servers: JSONValue = [
            [
                "backend": "default", "url": "http://two:1", "healthy": true,
                "requests": ["answered": 3, "timeout": 1],
            ]
        ]
        #expect(report["servers"] == servers)
    }

    @Test func reportHasTheTenantsKeySets() throws {
        let source = RemoteKeySource(location: .keySet(url: "https://id.test/keys?secret=1"))
        let used = KeySetStatus(label: source.label, ageSeconds: 12.34567, numberOfKeys: 2, isStale: false)
        let other = KeySetStatus(label: "https://other.test/keys", ageSeconds: nil, numberOfKeys: 0, isStale: false)
        let tenant = tenant { $0.authenticate.keySources = [.remote(source)] }
        let report = report(tenant, keySets: [other, used])
        let age = try #require(JSONNumber(12.346))
        #expect(
            report["key_sets"] == [
                [
                    "label": "https://id.test/keys", "keys": 2, "age_seconds": .number(age), "stale": false,
                    "error": nil,
                ]
            ]
        )
    }

    @Test func reportIsAsDocumented() throws {
        let json = report(tenant { $0.mode = .observe })
        #expect(json["hosts"] == ["two.test", "*.below.test"])
        #expect(json["path_prefix"] == .null)
        #expect(json["mode"] == "observe")
        let latency = try #require(json["latency"]?.object)
        #expect(latency.members.map(\.name) == ["p50_ms", "p90_ms", "p99_ms", "count", "buckets"])
        #expect(latency["count"] == 1)
    }

    @Test func percentilesAreNullWithoutValues() {
        let json = JSONValue.latency(Counters(tenantCount: 1).durations[0])
        #expect(json == ["p50_ms": nil, "p90_ms": nil, "p99_ms": nil, "count": 0, "buckets": []])
    }
}
