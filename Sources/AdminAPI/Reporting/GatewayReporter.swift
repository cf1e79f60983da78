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

    /// - Parameter page: The tenants that are listed; nil for all of them, in the order of the configuration.
    /// - Throws: If the gateway has been stopped.
    func report(_ page: TenantsPage? = nil) async throws -> JSONObject {
        let count = try await count()
        let snapshot = count.snapshot
        let tokenCache = count.counters.tokenCache
        let tenants = TenantReports(count, keySets: await keySets())
        let listed = Array(zip(snapshot.configuration.tenants, snapshot.indices))
        let (shown, next) = page?.part(of: listed) { $0.0.name } ?? (listed, nil)
        let isWhole = page?.isWhole ?? true
        return [
            "generation": .count(snapshot.generation),
            "loaded_at": .time(snapshot.since),
            "started_at": .time(startedAt),
            "version": .string(version),
            "now": .time(Clock.unix()),
            "reload": live.lastReload.map { last in
                [
                    "result": .string(last.report.result.rawValue), "at": .time(last.at),
                    "mistakes": .array(isWhole ? last.report.mistakes.map(JSONValue.string) : []),
                ]
            } ?? .null,
            "store": ["up": .bool(count.shared.storeIsUp), "staleness_seconds": .decimals(count.shared.staleness)],
            "connections": ["open": .number(JSONNumber(count.counters.openConnections))],
            "token_cache": [
                "hit": .count(tokenCache.hits),
                "miss": .count(tokenCache.misses),
                "refused": .count(tokenCache.refusedHits),
            ],
            "tenants": .array(
                shown.map { tenant, index in
                    var object = tenants.json(tenant, index: index)
                    object["source"] = snapshot.configuration.storedNames.contains(tenant.name) ? "store" : "file"
                    return .object(object)
                }
            ),
            "next": next.map(JSONValue.string) ?? .null,
            "faulty": .array(
                faulty().sorted { $0.key < $1.key }.filter { page?.mayShow($0.key) ?? true }.prefix(TenantsPage.maximum)
                    .map { name, mistakes in
                        ["name": .string(name), "mistakes": .array(mistakes.map { .object($0.json) })]
                    }
            ),
        ]
    }
}
