import ConfigurationText
import Counting
import SharedState
import Tenants
import Time
import Verification

/// Reports the state of the gateway for `GET /api/tenants` and the dashboard. Its counters start at 0 with the
/// process.
struct GatewayReporter: Sendable {
    let live: LiveConfiguration
    /// Adds up the counts of all event loops; throws if the gateway has been stopped.
    let count: @Sendable () async throws -> GatewayCount
    let keySets: @Sendable () async -> [KeySetStatus]
    /// What is wrong with tenants of the store, by name.
    let faulty: @Sendable () -> [String: [Diagnostic]]
    let version: String
    let startedAt: UnixTime

    /// Tenants of one event. Of more, those with the most requests are in it.
    static let mostStreamed = 100

    /// - Parameter page: The tenants that are listed.
    /// - Throws: If the gateway has been stopped.
    func report(_ page: TenantsPage) async throws -> JSONObject {
        let count = try await count()
        let (shown, next) = page.part(of: Self.all(count).filter { page.isSearched($0.tenant) }) { $0.tenant.name }
        var report = await report(count, shown)
        report["next"] = next.map(JSONValue.string) ?? .null
        report["faulty"] = faulty(page.mayShow)
        // The numbers of all, and the messages of the last reload, are for those who may see all tenants.
        if page.isWhole { addWhole(count, to: &report) }
        return report
    }

    /// For the dashboard: the same size however many tenants there are.
    ///
    /// - Parameter watched: Names of tenants that are listed whatever their requests; those that do not exist are left
    ///   out.
    /// - Throws: If the gateway has been stopped.
    func event(watching watched: Set<String>) async throws -> JSONObject {
        let count = try await count()
        var shown = Self.all(count)
        if shown.count > Self.mostStreamed {
            var requests = Array(repeating: UInt64(0), count: count.counters.tenantCount)
            count.counters.forEachRequestCount { tenant, _, _, number in requests[tenant.value] += number }
            let busiest = Set(
                shown.map(\.index).sorted { (requests[$1.value], $0.value) < (requests[$0.value], $1.value) }
                    .prefix(Self.mostStreamed)
            )
            shown = shown.filter { busiest.contains($0.index) || watched.contains($0.tenant.name) }
        }
        var report = await report(count, shown)
        report["next"] = .null
        report["faulty"] = faulty { _ in true }
        addWhole(count, to: &report)
        return report
    }

    private static func all(_ count: GatewayCount) -> [(tenant: Tenant, index: TenantIndex)] {
        zip(count.snapshot.configuration.tenants, count.snapshot.indices).map { ($0, $1) }
    }

    private func report(_ count: GatewayCount, _ shown: [(tenant: Tenant, index: TenantIndex)]) async -> JSONObject {
        let snapshot = count.snapshot
        let tokenCache = count.counters.tokenCache
        let reports = TenantReports(count, of: shown.map(\.index), keySets: await keySets())
        return [
            "generation": .count(snapshot.generation),
            "loaded_at": .time(snapshot.since),
            "started_at": .time(startedAt),
            "version": .string(version),
            "now": .time(Clock.unix()),
            "reload": live.lastReload.map { last in
                ["result": .string(last.report.result.rawValue), "at": .time(last.at), "mistakes": []]
            } ?? .null,
            "store": ["up": .bool(count.shared.storeIsUp), "staleness_seconds": .decimals(count.shared.staleness)],
            "connections": ["open": .number(JSONNumber(count.counters.openConnections))],
            "token_cache": [
                "hit": .count(tokenCache.hits),
                "miss": .count(tokenCache.misses),
                "refused": .count(tokenCache.refusedHits),
            ],
            "total": .null,
            "tenants": .array(
                shown.map { tenant, index in
                    var object = reports.json(tenant, index: index)
                    object["source"] = tenant.isStored ? "store" : "file"
                    return .object(object)
                }
            ),
        ]
    }

    private func addWhole(_ count: GatewayCount, to report: inout JSONObject) {
        report["total"] = .object(GatewayTotal(count: count).json)
        if let last = live.lastReload {
            let mistakes = last.report.mistakes.prefix(TenantsPage.maximum)
            report["reload"] = [
                "result": .string(last.report.result.rawValue), "at": .time(last.at),
                "mistakes": .array(mistakes.map(JSONValue.string)),
            ]
        }
    }

    /// What is wrong with tenants of the store.
    private func faulty(_ mayShow: (String) -> Bool) -> JSONValue {
        let shown = faulty().filter { mayShow($0.key) }.sorted { $0.key < $1.key }.prefix(TenantsPage.maximum)
        return .array(
            shown.map { name, mistakes in
                ["name": .string(name), "mistakes": .array(mistakes.map { .object($0.json) })]
            }
        )
    }
}
