import Counting
import SharedState
import TestSupport
import Testing

@testable import AdminAPI
@testable import Tenants

@Suite struct SeparateTenantsTests {
    @Test func busiestStandApart() {
        var separate = SeparateTenants()
        let tenants = ["a", "b", "c", "d"]
        #expect(separate.choose(among: tenants, requests: [1, 9, 0, 5], limit: 2) == [false, true, false, true])
    }

    @Test func fewTenantsAllStandApart() {
        var separate = SeparateTenants()
        #expect(separate.choose(among: ["a", "b"], requests: [0, 0], limit: 2) == [true, true])
    }

    @Test func tenantWithoutRequestsDoesNotStandApartAmongMany() {
        var separate = SeparateTenants()
        #expect(separate.choose(among: ["a", "b", "c"], requests: [0, 3, 0], limit: 2) == [false, true, false])
    }

    /// A series that comes and goes looks like a restart.
    @Test func tenantStaysApartUntilAnotherHasTwiceItsRequests() {
        var separate = SeparateTenants()
        let tenants = ["a", "b", "c"]
        #expect(separate.choose(among: tenants, requests: [10, 5, 0], limit: 1) == [true, false, false])
        #expect(separate.choose(among: tenants, requests: [10, 19, 0], limit: 1) == [true, false, false])
        #expect(separate.choose(among: tenants, requests: [10, 22, 0], limit: 1) == [false, true, false])
        #expect(separate.choose(among: tenants, requests: [40, 22, 0], limit: 1) == [false, true, false])
    }

    // MARK: Sums

    private static func reading(_ random: inout SplitMix64, tenants: Int) -> MetricsReading {
        var counters = Counters(tenantCount: tenants)
        for _ in 0..<300 {
            let tenant = TenantIndex(random.below(tenants + 1))
            counters.count(
                tenant: tenant,
                method: random.pick([.get, .post]),
                status: random.pick([200, 401, 503]),
                outcome: random.pick([.granted, .anonymous, .refused(.missingToken)])
            )
            counters.time(tenant: tenant, duration: 1_000_000, overhead: 1000)
            if random.below(4) == 0 { counters.count(tenant: tenant, wouldRefuse: .tokenExpired) }
            if random.below(4) == 0 { counters.countDroppedMirror(tenant: tenant) }
        }
        let names = (0..<tenants).map { "t\($0)" }
        var shared = SharedCount(
            storeIsUp: true,
            revocations: Dictionary(uniqueKeysWithValues: names.map { ($0, 2) }),
            staleness: 0,
            keySets: []
        )
        shared.refreshes = Dictionary(uniqueKeysWithValues: (0..<tenants).map { (TenantIndex($0), ["refreshed": 3]) })
        shared.limits = (0..<tenants).map { LimitCount(tenant: TenantIndex($0), limit: "ip", mode: .enforce, count: 4) }
        return MetricsReading(
            tenants: names,
            configuration: ConfigurationCount(generation: 1),
            counters: counters,
            backends: names.map {
                BackendCount(
                    tenant: $0,
                    backend: "default",
                    server: "http://\($0):1",
                    counts: BackendCounters(answers: 5),
                    isHealthy: $0 != "t1"
                )
            },
            shared: shared
        )
    }

    /// The sum over all series of a metric, by its other labels.
    private static func sums(_ reading: MetricsReading, _ name: String) -> [String: UInt64] {
        var sums: [String: UInt64] = [:]
        guard let metric = Metric.all.first(where: { $0.name == name }) else { return sums }
        for sample in metric.samples(reading) ?? [] {
            let others = zip(metric.labels, sample.labels).filter { !["tenant", "server", "backend"].contains($0.0) }
            let key = others.map { "\($0.0)=\($0.1)" }.joined(separator: ",")
            switch sample.value {
            case .count(let count): sums[key, default: 0] += count
            case .histogram(let histogram): sums[key, default: 0] += histogram.counts.reduce(0, +)
            case .measure: break
            }
        }
        return sums
    }

    @Test func nothingIsLostWhenTenantsAreAddedUp() {
        var random = SplitMix64(seed: 200)
        for tenants in [1, 3, 17] {
            let reading = Self.reading(&random, tenants: tenants)
            for limit in 1...3 {
                var separate = SeparateTenants()
                let requests = reading.counters.requestsByTenant
                let grouped = reading.grouped(separate.choose(among: reading.tenants, requests: requests, limit: limit))
                #expect(grouped.tenants.count <= max(limit + 1, min(tenants, limit)))
                for name in [
                    "gatehouse_requests_total", "gatehouse_auth_decisions_total", "gatehouse_would_refuse_total",
                    "gatehouse_request_duration_seconds", "gatehouse_gateway_overhead_seconds",
                    "gatehouse_refresh_total",
                    "gatehouse_rate_limited_total", "gatehouse_backend_requests_total", "gatehouse_revocations",
                    "gatehouse_mirror_dropped_total",
                ] {
                    #expect(Self.sums(grouped, name) == Self.sums(reading, name), "\(name) \(tenants) \(limit)")
                    #expect(!Self.sums(reading, name).isEmpty, "\(name)")
                }
            }
        }
    }

    @Test func sizeOfMetricsDoesNotGrowWithTenants() {
        var random = SplitMix64(seed: 201)
        func length(_ tenants: Int) -> Int {
            let reading = Self.reading(&random, tenants: tenants)
            var separate = SeparateTenants()
            let requests = reading.counters.requestsByTenant
            let grouped = reading.grouped(separate.choose(among: reading.tenants, requests: requests, limit: 5))
            return MetricsText(grouped).text.utf8.count
        }
        #expect(abs(length(2000) - length(50)) < length(50) / 4)
    }

    @Test func otherTenantsAreUnhealthyIfOneIs() {
        var random = SplitMix64(seed: 202)
        let reading = Self.reading(&random, tenants: 3)
        let grouped = reading.grouped([true, false, false])
        #expect(grouped.backends.map(\.tenant) == ["t0", "_other"])
        #expect(grouped.backends.map(\.isHealthy) == [true, false])
    }
}
