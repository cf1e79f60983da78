import AccountDeletion
import AdminAPI
import ConfigurationText
import Counting
import IdentityProvider
import Logging
import Proxy
import SharedState
import Tenants
import TokenSigning
import Verification

/// A running gateway as the admin API sees it.
struct GatewayAdministration: AdministeredGateway {
    let live: LiveConfiguration
    let workers: [WorkerHandle]
    let shared: SharedServices
    let isServing: @Sendable () -> Bool
    let readAnew: @Sendable () async -> ReloadReport
    /// Nil if the configuration cannot be read again.
    let judgeTenants: @Sendable ([TenantSource]) async -> ReadResult?
    let faulty: @Sendable () -> [String: [Diagnostic]]
    let certificatesInUse: @Sendable () -> [CertificateStatus]
    /// Nil if there is no access log.
    let accessLog: AccessLogWriter?
    let logger: Logger

    func missing() async -> [String] { isServing() ? await shared.missing() : ["no requests are taken"] }

    func limitations() async -> [String] {
        let staleness = await shared.revocations.staleness
        let tenants = live.current.configuration.tenants.filter { $0.refusesCallers(staleness: staleness) }
        guard !tenants.isEmpty else { return [] }
        let age = staleness.map { "\(Int($0)) s old" } ?? "not loaded"
        var names = tenants.prefix(Self.mostNamed).map(\.name).joined(separator: ", ")
        if tenants.count > Self.mostNamed { names += " and \(tenants.count - Self.mostNamed) more" }
        return [
            "callers get 503 at \(names): the revocations are \(age), older than max_staleness, and on_store_failure is deny"
        ]
    }

    private static let mostNamed = 10

    /// Queries every loop.
    func count() async throws -> GatewayCount {
        var sum = Counters(tenantCount: live.current.tenants.count)
        var backends: [BackendCount] = []
        for worker in workers {
            let (counters, counts) = try await worker.submit { ($0.currentCounters(), $0.backendCounts()) }
            sum.add(counters)
            backends = BackendCount.sum(backends, counts)
        }
        let count = await sharedCount()
        // A reload may have added tenants meanwhile. It is live before a loop counts for it.
        let snapshot = live.current
        sum.grow(tenantCount: snapshot.tenants.count)
        return GatewayCount(snapshot: snapshot, counters: sum, backends: backends, shared: count)
    }

    func ruleCounts(ofTenant tenant: TenantIndex) async throws -> RuleCounts {
        let snapshot = live.current
        var sum = RuleCounts(snapshot.tenants[tenant].access, since: snapshot.since)
        for worker in workers {
            if let counts = try await worker.submit({ $0.ruleCounts(ofTenant: tenant) }) { sum.add(counts) }
        }
        return sum
    }

    func routeCounts(ofTenant tenant: TenantIndex) async throws -> RouteCounts {
        let snapshot = live.current
        var sum = RouteCounts(snapshot.tenants[tenant].routes.routes, since: snapshot.since)
        guard !sum.items.isEmpty else { return sum }
        for worker in workers {
            if let counts = try await worker.submit({ $0.routeCounts(ofTenant: tenant) }) { sum.add(counts) }
        }
        return sum
    }

    func recentRefusals(ofTenant tenant: String?) async throws -> [RecentRefusal] {
        var refusals: [RecentRefusal] = []
        for worker in workers {
            refusals += try await worker.submit(\.recentRefusals)?.latest(ofTenant: tenant) ?? []
        }
        return refusals
    }

    private func sharedCount() async -> SharedCount {
        var count = SharedCount(
            storeIsUp: shared.store.isUp,
            revocations: await shared.revocations.counts,
            staleness: await shared.revocations.staleness,
            keySets: await shared.keySets.statuses().map { ($0.label, $0.ageSeconds) }
        )
        count.refreshes = await shared.refreshes.counts
        count.signIns = shared.services.counts.snapshot()
        count.refreshReuses = shared.issuers.reuses.snapshot()
        count.adoptions = shared.parts.adoptions.counts.snapshot()
        count.deletions = shared.services.deletions.map { _ in shared.services.deletionCounts.snapshot() }
        count.outbox = shared.outbox.isUsed ? shared.outbox.counts.snapshot() : nil
        count.limits = shared.limits?.limiter.counts ?? []
        if let stored = shared.storedTenants {
            let known = stored.all.count
            let faulty = faultyTenants.count
            count.storedTenants = (inForce: max(0, known - faulty), faulty: faulty)
        }
        count.traces = shared.traces?.counts
        return count
    }

    func keySets() async -> [KeySetStatus] { await shared.keySets.statuses() }

    func certificates() -> [CertificateStatus] { certificatesInUse() }

    func explain(_ request: ExplainedRequest, of tenant: Tenant) async throws -> JSONObject? {
        guard let worker = shared.loops.next() else { return nil }
        return try await worker.explain(request, of: tenant).json
    }

    func reload() async -> ReloadReport { await readAnew() }

    var storedTenants: StoredTenantService? { shared.storedTenants }

    func judge(_ sources: [TenantSource]) async -> ReadResult? { await judgeTenants(sources) }

    var faultyTenants: [String: [Diagnostic]] { faulty() }

    func storedKeys(ofTenant index: TenantIndex) -> StoredKeys? { shared.issuers.storedKeys(ofTenant: index) }

    func sessions(ofTenant index: TenantIndex) -> (any SessionListing)? { shared.issuers.services[index] }

    func accounts(ofTenant index: TenantIndex) -> (any AccountAdministration)? {
        shared.services.accounts(ofTenant: index)
    }

    var deletions: (any DeletionListing)? { shared.services.deletions }

    var lostAccessLogBytes: Int { accessLog?.lost ?? 0 }

    var lostLogLines: Int { logger.lostLines }
}
