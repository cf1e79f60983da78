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
    let version: String
    let startedAt: UnixTime

    /// - Throws: If the gateway has been stopped.
    func report() async throws -> JSONObject {
        let count = try await count()
        let snapshot = count.snapshot
        let tokenCache = count.counters.tokenCache
        let tenants = TenantReports(count, keySets: await keySets())
        return [
            "generation": .count(snapshot.generation),
            "loaded_at": .time(snapshot.since),
            "started_at": .time(startedAt),
            "version": .string(version),
            "now": .time(Clock.unix()),
            "reload": live.lastReload.map { last in
                [
                    "result": .string(last.report.result.rawValue), "at": .time(last.at),
                    "mistakes": .array(last.report.mistakes.map(JSONValue.string)),
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
                zip(snapshot.configuration.tenants, snapshot.indices).map { .object(tenants.json($0, index: $1)) }
            ),
        ]
    }
}
