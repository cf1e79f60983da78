import Counting
import SharedState
import Testing
import Verification

@testable import AdminAPI
@testable import Tenants

/// What pages and events hold of thousands of tenants.
struct GatewayReporterTests {
    private static let many = 2500

    /// Tenant `t7` has had 7 requests, `t2499` is in observe mode, and the server of `t13` is down.
    private static func reporter(_ count: Int = many) throws -> GatewayReporter {
        var tenants = (0..<count).map { AdminFixture.tenant("t\($0)") }
        tenants[count - 1].mode = .observe
        let live = LiveConfiguration.serving(tenants)
        var counters = Counters(tenantCount: count)
        for index in 0..<count {
            let outcome: Outcome = index.isMultiple(of: 2) ? .granted : .refused(.missingToken)
            for _ in 0..<index {
                counters.count(tenant: TenantIndex(index), method: .get, status: 200, outcome: outcome)
            }
            counters.time(tenant: TenantIndex(index), duration: 1_000_000, overhead: 10_000)
        }
        // Of no tenant.
        counters.count(tenant: TenantIndex(count), method: .get, status: 404, outcome: .refused(.unknownHost))
        let backends = tenants.map { tenant in
            BackendCount(
                tenant: tenant.name,
                backend: "default",
                server: "http://127.0.0.1:9",
                counts: BackendCounters(),
                isHealthy: tenant.name != "t13"
            )
        }
        let shared = SharedCount(storeIsUp: true, revocations: ["t1": 2, "t2": 3], staleness: 0.5, keySets: [])
        let sum = GatewayCount(snapshot: live.current, counters: counters, backends: backends, shared: shared)
        return GatewayReporter(
            live: live,
            count: { sum },
            keySets: { [] },
            faulty: { [:] },
            version: "1",
            startedAt: AdminFixture.now
        )
    }

    private static func names(_ report: JSONObject) throws -> [String] {
        try #require(report["tenants"]?.array).compactMap { $0.object?["name"]?.string }
    }

    @Test func eventHasTheBusiestTenantsAndThoseWatched() async throws {
        let report = try await Self.reporter().event(watching: ["t5", "unknown"])
        let names = try Self.names(report)
        let busiest = (Self.many - GatewayReporter.mostStreamed..<Self.many).map { "t\($0)" }
        #expect(names == ["t5"] + busiest)
        #expect(JSONWriter.text(of: .object(report)).utf8.count < 100_000)
        let last = try #require(report["tenants"]?.array?.last?.object)
        #expect(last["requests"]?.object?["total"] == .number(JSONNumber(Self.many - 1)))
        #expect(last["servers"]?.array?.count == 1)
    }

    @Test func fewTenantsAreAllInAnEvent() async throws {
        let report = try await Self.reporter(GatewayReporter.mostStreamed).event(watching: [])
        #expect(try Self.names(report) == (0..<GatewayReporter.mostStreamed).map { "t\($0)" })
    }

    @Test func totalIsThatOfAllTenants() async throws {
        let report = try await Self.reporter().event(watching: [])
        let total = try #require(report["total"]?.object)
        let all = Self.many * (Self.many - 1) / 2
        #expect(total["tenants"] == .number(JSONNumber(Self.many)))
        #expect(
            total["requests"] == ["total": .number(JSONNumber(all)), "by_status": ["200": .number(JSONNumber(all))]]
        )
        // The odd ones were refused, but for the last one, which only observes.
        let refused = stride(from: 1, to: Self.many - 1, by: 2).reduce(0, +)
        #expect(total["refused"] == ["missing_token": .number(JSONNumber(refused))])
        #expect(total["latency"]?.object?["count"] == .number(JSONNumber(Self.many)))
        #expect(total["revocations"] == 5)
        #expect(total["without_server"] == ["count": 1, "names": ["t13"]])
        #expect(total["refuses_callers"] == ["count": 0, "names": []])
    }

    @Test func pageHasWhatIsSearchedFor() async throws {
        let page = try TenantsPage(["search": "T249", "limit": "4"], .loopback)
        let report = try await Self.reporter().report(page)
        #expect(try Self.names(report) == ["t249", "t2490", "t2491", "t2492"])
        #expect(report["next"] == "t2492")
        let byHost = try TenantsPage(["search": "t17.test"], .loopback)
        #expect(try Self.names(await Self.reporter().report(byHost)) == ["t17"])
    }

    @Test func callerOfSomeTenantsGetsNoTotal() async throws {
        let pattern = try #require(TenantNamePattern("t1*"))
        let report = try await Self.reporter().report(TenantsPage(["limit": "3"], .named("team", [.tenants(pattern)])))
        #expect(report["total"] == .null)
        #expect(try Self.names(report) == ["t1", "t10", "t100"])
    }
}
