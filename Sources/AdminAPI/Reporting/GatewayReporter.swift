import SharedState
import Tenants
import Time

/// Says how the gateway is doing, whenever it is asked.
struct GatewayReporter: Sendable {
    let live: LiveConfiguration
    /// Throws if the gateway has been stopped.
    let count: @Sendable () async throws -> GatewayCount
    let keySets: @Sendable () async -> [KeySetStatus]
    /// Of the gateway.
    let version: String
    let startedAt: UnixTime

    /// - Throws: If the gateway has been stopped.
    func report() async throws -> GatewayReport {
        let count = try await count()
        let edition = count.edition
        let keySets = await keySets()
        let statuses = count.counters.requestsByStatus
        return GatewayReport(
            generation: edition.generation,
            loadedAt: edition.since,
            startedAt: startedAt,
            now: Clock.unix(),
            version: version,
            reload: live.lastReload.map { last in
                GatewayReport.Reload(result: last.report.result, at: last.at, mistakes: last.report.mistakes)
            },
            storeIsUp: count.shared.storeIsUp,
            staleness: count.shared.staleness,
            openConnections: count.counters.openConnections,
            tokenCache: count.counters.tokenCache,
            tenants: zip(edition.configuration.tenants, edition.places).map { tenant, place in
                TenantReport(tenant, place: place, statuses: statuses[place] ?? [:], count, keySets: keySets)
            }
        )
    }
}
