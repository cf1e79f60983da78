import Counting
import SharedState
import Tenants
import Verification

/// The report of each tenant: its metrics, servers and key sets.
struct TenantReports {
    private typealias Counts = [[String]: [String: UInt64]]

    private let count: GatewayCount
    private let keySets: [KeySetStatus]
    private let requests: Counts
    private let decisions: Counts
    private let wouldRefuse: Counts
    private let refreshes: Counts
    private let rateLimited: Counts
    private let serverRequests: Counts

    /// - Parameter keySets: Of all tenants.
    init(_ count: GatewayCount, keySets: [KeySetStatus]) {
        self.count = count
        self.keySets = keySets
        let reading = MetricsReading(count, ConfigurationCount(generation: count.snapshot.generation))
        requests = Metric.requests.counts(of: ["tenant"], by: "status", in: reading)
        decisions = Metric.decisions.counts(of: ["tenant"], by: "outcome", in: reading)
        wouldRefuse = Metric.wouldRefuse.counts(of: ["tenant"], by: "code", in: reading)
        refreshes = Metric.refreshes.counts(of: ["tenant"], by: "outcome", in: reading)
        rateLimited = Metric.rateLimited.counts(of: ["tenant"], by: "limit", in: reading)
        serverRequests = Metric.serverRequests.counts(of: ["tenant", "backend", "server"], by: "outcome", in: reading)
    }

    /// - Parameter index: The tenant's index in the counters.
    func json(_ tenant: Tenant, index: TenantIndex) -> JSONObject {
        let name = tenant.name
        let byStatus = requests[[name]] ?? [:]
        var object: JSONObject = [
            "name": .string(name),
            "hosts": .array(tenant.hosts.map { .string($0.description) }),
            "path_prefix": tenant.pathPrefix.map(JSONValue.string) ?? .null,
            "mode": .string(tenant.mode.rawValue),
        ]
        object["requests"] = ["total": .count(byStatus.values.reduce(0, +)), "by_status": .counts(byStatus)]
        object["decisions"] = .counts(decisions[[name]])
        object["would_refuse"] = .counts(wouldRefuse[[name]])
        object["latency"] = .latency(count.counters.durations[index])
        object["overhead"] = .latency(count.counters.overheads[index])
        object["refreshes"] = .counts(refreshes[[name]])
        object["rate_limited"] = .counts(rateLimited[[name]])
        let isLoaded = count.shared.staleness != nil
        object["revocations"] = isLoaded ? .number(JSONNumber(count.shared.revocations[name] ?? 0)) : .null
        object["refuses_callers"] = .bool(tenant.refusesCallers(staleness: count.shared.staleness))
        object["has_issuer"] = .bool(tenant.issuer != nil)
        let servers = count.backends.filter { $0.tenant == name }
        object["servers"] = .array(
            servers.map { server in
                let requests = serverRequests[[name, server.backend, server.server]]
                return [
                    "backend": .string(server.backend),
                    "url": .string(server.server),
                    "healthy": .bool(server.isHealthy),
                    "requests": .counts(requests),
                ]
            }
        )
        let labels = Set((RemoteKeySource.all(of: [tenant]) + RemoteKeySource.ofSignIn([tenant])).map(\.label))
        object["key_sets"] = .array(keySets.filter { labels.contains($0.label) }.map { .object($0.json) })
        return object
    }
}

extension KeySetStatus {
    fileprivate var json: JSONObject {
        [
            "label": .string(label),
            "keys": .number(JSONNumber(numberOfKeys)),
            "age_seconds": .decimals(ageSeconds),
            "stale": .bool(isStale),
            "error": lastError.map(JSONValue.string) ?? .null,
        ]
    }
}
