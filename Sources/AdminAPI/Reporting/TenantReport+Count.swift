import Counting
import SharedState
import Tenants

extension TenantReport {
    /// - Parameters:
    ///   - place: The tenant's in what was counted.
    ///   - statuses: The tenant's requests by status.
    ///   - keySets: Of all tenants.
    init(
        _ tenant: Tenant,
        place: TenantIndex,
        statuses: [Int: UInt64],
        _ count: GatewayCount,
        keySets: [KeySetStatus]
    ) {
        name = tenant.name
        hosts = tenant.hosts.map(\.text)
        pathPrefix = tenant.pathPrefix
        mode = tenant.mode.rawValue
        requestsByStatus = statuses
        decisions = Self.byOutcome(count.counters.decisions, place)
        wouldRefuse = Self.byOutcome(count.counters.wouldRefuse, place)
        latency = LatencyReport(count.counters.durations[place])
        overhead = LatencyReport(count.counters.overheads[place])
        refreshes = Self.refreshes(count, place)
        rateLimited = [:]
        for limit in count.shared.limits where limit.tenant == place {
            rateLimited[limit.limit, default: 0] += limit.count
        }
        revocations = count.shared.staleness == nil ? nil : count.shared.revocations[tenant.name] ?? 0
        hasIssuer = tenant.issuer != nil
        servers = count.backends.filter { $0.tenant == tenant.name }.map(Server.init)
        let labels = Set((RemoteKeySource.all(of: [tenant]) + RemoteKeySource.ofSignIn([tenant])).map(\.label))
        self.keySets = keySets.filter { labels.contains($0.label) }
    }

    private static func byOutcome(_ counts: [UInt64], _ place: TenantIndex) -> [String: UInt64] {
        let row = counts[(place.value * Counters.outcomeCount)..<((place.value + 1) * Counters.outcomeCount)]
        return Dictionary(uniqueKeysWithValues: zip(Outcome.allLabels, row)).filter { $0.value > 0 }
    }

    /// What the refreshes themselves came to, and what they did for the requests that wanted them.
    private static func refreshes(_ count: GatewayCount, _ place: TenantIndex) -> [String: UInt64] {
        let events = RefreshNote.Event.allCases
        var refreshes = count.shared.refreshes[place] ?? [:]
        for event in events where event.isOfRequest {
            refreshes[event.rawValue] = count.counters.refreshes[place.value * events.count + event.index]
        }
        return refreshes.filter { $0.value > 0 }
    }
}

extension TenantReport.Server {
    fileprivate init(_ count: BackendCount) {
        url = count.server
        isHealthy = count.isHealthy
        requests = [
            "answered": count.counts.answers, "failed": count.counts.failures, "timeout": count.counts.timeouts,
            "connect_failure": count.counts.connectFailures,
        ]
    }
}

extension Counters {
    /// By the tenant's place; nothing for one that had no request.
    var requestsByStatus: [TenantIndex: [Int: UInt64]] {
        var statuses: [TenantIndex: [Int: UInt64]] = [:]
        forEachRequestCount { tenant, _, status, count in
            statuses[tenant, default: [:]][status, default: 0] += count
        }
        return statuses
    }
}

extension HostPattern {
    /// As tenants.yaml has it.
    fileprivate var text: String {
        switch self {
        case .exact(let host): host
        case .oneLabelBelow(let parent): "*.\(parent)"
        }
    }
}
