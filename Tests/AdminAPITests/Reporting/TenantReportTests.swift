import Counting
import Testing
import Verification

@testable import AdminAPI
@testable import SharedState
@testable import Tenants

/// What was counted, told by tenant.
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
                server: "http://\(tenant):1",
                counts: BackendCounters(answers: 3, failures: 0, timeouts: 1, connectFailures: 0),
                isHealthy: tenant == "two"
            )
        }
        let configuration = TenantsConfiguration(gateway: GatewaySettings(listeners: []), tenants: [])
        return GatewayCount(
            edition: ConfigurationSnapshot(configuration, at: 0),
            counters: counters,
            backends: backends,
            shared: shared
        )
    }

    private func tenant(_ change: (inout Tenant) -> Void = { _ in }) -> Tenant {
        var tenant = Tenant(
            name: "two",
            hosts: [.exact("two.test"), .oneLabelBelow("below.test")],
            backend: Backend(servers: [BackendServer(address: HostPort(host: "two", port: 1))]),
            authenticate: Authentication(from: [.bearer], policy: VerificationPolicy(issuers: []))
        )
        change(&tenant)
        return tenant
    }

    private func report(_ tenant: Tenant, keySets: [KeySetStatus] = []) -> TenantReport {
        let count = count()
        let statuses = count.counters.requestsByStatus[1] ?? [:]
        return TenantReport(tenant, place: 1, statuses: statuses, count, keySets: keySets)
    }

    @Test func onlyTheTenantsOwnNumbersAreInItsReport() {
        let report = report(tenant())
        #expect(report.requestsByStatus == [200: 3, 404: 1])
        #expect(report.decisions == ["granted": 3, "anonymous": 1])
        #expect(report.wouldRefuse == ["token_expired": 1])
        #expect(report.rateLimited == ["subject": 5])
        #expect(report.refreshes == ["refreshed": 4])
        #expect(report.revocations == 6)
        #expect(report.latency.count == 1)
        #expect(report.servers.map(\.url) == ["http://two:1"])
        #expect(report.servers.first?.requests == ["answered": 3, "failed": 0, "timeout": 1, "connect_failure": 0])
    }

    @Test func keySetsAreThoseThatTheTenantUses() {
        let source = RemoteKeySource(location: .keySet(url: "https://id.test/keys?secret=1"))
        let used = KeySetStatus(label: source.label, ageSeconds: 12.34567, numberOfKeys: 2, isStale: false)
        let other = KeySetStatus(label: "https://other.test/keys", ageSeconds: nil, numberOfKeys: 0, isStale: false)
        let tenant = tenant { $0.authenticate.keySources = [.remote(source)] }
        let report = report(tenant, keySets: [other, used])
        #expect(report.keySets == [used])
        #expect(
            report.keySets.first?.json == [
                "label": "https://id.test/keys", "keys": 2, "age_seconds": .number(JSONNumber(12.346) ?? JSONNumber(0)),
                "stale": false, "error": nil,
            ]
        )
    }

    @Test func isToldAsTheDocumentsSay() throws {
        let json = report(tenant { $0.mode = .observe }).json
        #expect(json["hosts"] == ["two.test", "*.below.test"])
        #expect(json["path_prefix"] == .null)
        #expect(json["mode"] == "observe")
        #expect(json["requests"] == ["total": 4, "by_status": ["200": 3, "404": 1]])
        #expect(json["rate_limited"] == ["subject": 5])
        #expect(json["servers"]?.array?.first?.object?["requests"] == ["answered": 3, "timeout": 1])
        let latency = try #require(json["latency"]?.object)
        #expect(latency.members.map(\.name) == ["p50_ms", "p90_ms", "p99_ms", "count", "buckets"])
        #expect(latency["count"] == 1)
    }

    @Test func withoutAValueThereAreNoPercentiles() {
        let json = LatencyReport(Counters(tenantCount: 1).durations[0]).json
        #expect(json == ["p50_ms": nil, "p90_ms": nil, "p99_ms": nil, "count": 0, "buckets": []])
    }
}
