import AccountDeletion
import Adoption
import Counting
import IdentityProvider
import Tenants

/// The tenants whose metrics stand apart, so that metrics keep their size however many tenants there are. The others are
/// added up as the tenant `_other`.
///
/// Those with the most requests stand apart. One is replaced only by another with twice its requests: a series that comes
/// and goes looks like a restart to whoever reads it.
struct SeparateTenants {
    /// Of what is added up: no tenant's name begins like this in a label.
    static let other = "_other"

    private var names: Set<String> = []

    /// Chooses anew.
    ///
    /// - Parameters:
    ///   - tenants: All names, by tenant index.
    ///   - requests: Of each, by tenant index.
    ///   - limit: How many may stand apart.
    /// - Returns: By tenant index: whether it does.
    mutating func choose(among tenants: [String], requests: [UInt64], limit: Int) -> [Bool] {
        guard tenants.count > limit else { return tenants.map { _ in true } }
        let busy = zip(tenants, requests).filter { $1 > 0 }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
        var kept = busy.filter { names.contains($0.0) }
        var waiting = busy.filter { !names.contains($0.0) }[...]
        while kept.count < limit, let next = waiting.popFirst() { kept.append(next) }
        kept.sort { ($1.1, $0.0) < ($0.1, $1.0) }
        while let least = kept.last, let next = waiting.first, next.1 / 2 > least.1 {
            kept.removeLast()
            waiting.removeFirst()
            kept.append(next)
            kept.sort { ($1.1, $0.0) < ($0.1, $1.0) }
        }
        names = Set(kept.map(\.0))
        return tenants.map(names.contains)
    }
}

extension MetricsReading {
    /// Adds up the tenants that do not stand apart.
    ///
    /// - Parameter isApart: By tenant index.
    func grouped(_ isApart: [Bool]) -> MetricsReading {
        guard isApart.contains(false) else { return self }
        var reading = self
        var groups: [Int?] = []
        reading.tenants = zip(tenants, isApart).filter { $1 }.map { $0.0 } + [SeparateTenants.other]
        var next = 0
        for isApart in isApart {
            groups.append(isApart ? next : reading.tenants.count - 1)
            if isApart { next += 1 }
        }
        reading.counters = counters.grouped(by: groups, count: reading.tenants.count)
        let apart = Set(reading.tenants)
        func label(_ tenant: String) -> String { apart.contains(tenant) ? tenant : SeparateTenants.other }
        reading.shared.refreshes = [:]
        for (tenant, counts) in shared.refreshes {
            guard tenant.value < groups.count, let group = groups[tenant.value] else { continue }
            reading.shared.refreshes[TenantIndex(group), default: [:]].merge(counts, uniquingKeysWith: +)
        }
        var limits: [[String]: LimitCount] = [:]
        for limit in shared.limits {
            guard limit.tenant.value < groups.count, let group = groups[limit.tenant.value] else { continue }
            var sum = limit
            sum.tenant = TenantIndex(group)
            sum.count += limits[["\(group)", limit.limit, limit.mode.rawValue]]?.count ?? 0
            limits[["\(group)", limit.limit, limit.mode.rawValue]] = sum
        }
        reading.shared.limits = limits.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
        reading.shared.revocations = Dictionary(shared.revocations.map { (label($0), $1) }, uniquingKeysWith: +)
        reading.shared.signIns = shared.signIns.relabeled(label)
        let reuses = shared.refreshReuses.map { labels, count in
            (RefreshReuseCounts.Labels(tenant: label(labels.tenant), outcome: labels.outcome), count)
        }
        reading.shared.refreshReuses = Dictionary(reuses, uniquingKeysWith: +)
        reading.shared.adoptions = shared.adoptions.relabeled(label)
        reading.shared.deletions = shared.deletions?.relabeled(label)
        reading.backends = backends.filter { apart.contains($0.tenant) } + otherBackends(apart)
        return reading
    }

    /// One server for all that do not stand apart: healthy if all of them are.
    private func otherBackends(_ apart: Set<String>) -> [BackendCount] {
        var sum: BackendCount?
        for backend in backends where !apart.contains(backend.tenant) {
            let other = BackendCount(
                tenant: SeparateTenants.other,
                backend: "",
                server: "",
                counts: backend.counts,
                isHealthy: backend.isHealthy
            )
            sum = sum.map { $0 + other } ?? other
        }
        return sum.map { [$0] } ?? []
    }
}

extension [AdoptionCounts.Labels: Int] {
    /// Those of the tenants that do not stand apart are added up, whichever issuers they leave: there may be many.
    fileprivate func relabeled(_ label: (String) -> String) -> Self {
        let relabeled = map { labels, count in
            var sum = labels
            sum.tenant = label(labels.tenant)
            if sum.tenant != labels.tenant { sum.issuer = SeparateTenants.other }
            return (sum, count)
        }
        return Dictionary(relabeled, uniquingKeysWith: +)
    }
}
