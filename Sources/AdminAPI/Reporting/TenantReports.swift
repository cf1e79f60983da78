import Counting
import SharedState
import Tenants
import Verification

/// The reports of some tenants: their metrics, servers and key sets. They cost by how many these are, and not by how many
/// there are beside.
struct TenantReports {
    private typealias Counts = [[String]: [String: UInt64]]

    private let count: GatewayCount
    private let servers: [String: [BackendCount]]
    private let keySets: [KeySetStatus]
    /// In ``keySets``.
    private let keySetIndices: [String: [Int]]
    private let requests: Counts
    private let decisions: Counts
    private let wouldRefuse: Counts
    private let refreshes: Counts
    private let rateLimited: Counts

    /// - Parameters:
    ///   - tenants: Those that are reported.
    ///   - keySets: Of all tenants.
    init(_ count: GatewayCount, of tenants: [TenantIndex], keySets: [KeySetStatus]) {
        self.count = count
        self.keySets = keySets
        keySetIndices = Dictionary(grouping: keySets.indices) { keySets[$0].label }
        var isShown = Array(repeating: false, count: count.snapshot.tenants.count)
        for index in tenants { isShown[index.value] = true }
        let all = MetricsReading(count, ConfigurationCount(generation: count.snapshot.generation))
        let reading = all.grouped(isShown)
        servers = Dictionary(grouping: reading.backends, by: \.tenant)
        requests = Metric.requests.counts(of: ["tenant"], by: "status", in: reading)
        decisions = Metric.decisions.counts(of: ["tenant"], by: "outcome", in: reading)
        wouldRefuse = Metric.wouldRefuse.counts(of: ["tenant"], by: "code", in: reading)
        refreshes = Metric.refreshes.counts(of: ["tenant"], by: "outcome", in: reading)
        rateLimited = Metric.rateLimited.counts(of: ["tenant"], by: "limit", in: reading)
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
        object["servers"] = .array((servers[name] ?? []).map { .object($0.json) })
        let labels = Set((RemoteKeySource.all(of: [tenant]) + RemoteKeySource.ofSignIn([tenant])).map(\.label))
        let indices = labels.flatMap { keySetIndices[$0] ?? [] }.sorted()
        object["key_sets"] = .array(indices.map { .object(keySets[$0].json) })
        return object
    }
}

extension BackendCount {
    fileprivate var json: JSONObject {
        let requests = Dictionary(counts.byOutcome, uniquingKeysWith: +)
        return [
            "backend": .string(backend),
            "url": .string(server),
            "healthy": .bool(isHealthy),
            "requests": .counts(requests),
        ]
    }
}

extension BackendCounters {
    /// By the label in metrics.
    var byOutcome: [(String, UInt64)] {
        [
            ("answered", answers), ("failed", failures), ("timeout", timeouts), ("connect_failure", connectFailures),
        ]
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
