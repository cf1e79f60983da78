import Counting
import SharedState
import Tenants
import Verification

/// What all tenants together have counted, and which of them need attention, whatever tenants a report lists.
struct GatewayTotal {
    /// Tenants that are named for one problem.
    private static let mostNamed = 20

    let count: GatewayCount

    var json: JSONObject {
        let snapshot = count.snapshot
        let tenants = snapshot.configuration.tenants
        // What observe mode would have refused is not refused.
        var groups: [Int?] = Array(repeating: nil, count: count.counters.tenantCount)
        for (tenant, index) in zip(tenants, snapshot.indices) { groups[index.value] = tenant.mode == .observe ? 1 : 0 }
        var reading = MetricsReading(count, ConfigurationCount(generation: snapshot.generation))
        reading.tenants = ["enforced", "observed"]
        reading.counters = count.counters.grouped(by: groups, count: reading.tenants.count)
        let refreshes = count.shared.refreshes.values.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        reading.shared.refreshes = [TenantIndex(0): refreshes]
        func sum(_ metric: Metric, by label: String) -> [String: UInt64] {
            // Not those of requests without a tenant.
            let counts = metric.counts(of: ["tenant"], by: label, in: reading)
            return reading.tenants.compactMap { counts[[$0]] }.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        }
        let byStatus = sum(.requests, by: "status")
        var refused = Metric.decisions.counts(of: ["tenant"], by: "outcome", in: reading)[["enforced"]] ?? [:]
        for passed in [Outcome.granted, .anonymous] { refused[passed.label] = nil }
        var durations = reading.counters.durations[TenantIndex(0)]
        var overheads = reading.counters.overheads[TenantIndex(0)]
        durations.add(reading.counters.durations[TenantIndex(1)])
        overheads.add(reading.counters.overheads[TenantIndex(1)])
        return [
            "tenants": .number(JSONNumber(tenants.count)),
            "requests": ["total": .count(byStatus.values.reduce(0, +)), "by_status": .counts(byStatus)],
            "refused": .counts(refused),
            "would_refuse": .counts(sum(.wouldRefuse, by: "code")),
            "latency": .latency(durations),
            "overhead": .latency(overheads),
            "refreshes": .counts(sum(.refreshes, by: "outcome")),
            "rate_limited": .counts(
                Dictionary(count.shared.limits.map { ($0.limit, UInt64(clamping: $0.count)) }, uniquingKeysWith: +)
            ),
            "revocations": count.shared.staleness == nil
                ? .null : .number(JSONNumber(count.shared.revocations.values.reduce(0, +))),
            "issuers": .number(JSONNumber(tenants.count { $0.issuer != nil })),
            "refuses_callers": Self.named(
                tenants.lazy.filter { $0.refusesCallers(staleness: count.shared.staleness) }.map(\.name)
            ),
            "without_server": Self.named(withoutServer),
        ]
    }

    /// The tenants that have servers, none of which is up, in the order of their first servers.
    private var withoutServer: [String] {
        var isServed: [String: Bool] = [:]
        for server in count.backends where isServed[server.tenant] != true {
            isServed[server.tenant] = server.isHealthy
        }
        var named: Set<String> = []
        return count.backends.map(\.tenant).filter { isServed[$0] == false && named.insert($0).inserted }
    }

    /// How many, and the first of them.
    private static func named(_ names: some Sequence<String>) -> JSONValue {
        let names = Array(names)
        return [
            "count": .number(JSONNumber(names.count)),
            "names": .array(names.prefix(mostNamed).map(JSONValue.string)),
        ]
    }
}
