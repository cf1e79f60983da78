import Counting
import Tenants

/// What the event loops have counted, summed, and what the instance shares with others: the numbers of one moment, for
/// metrics and for ``GatewayReport``.
struct GatewayCount: Sendable {
    /// The configuration whose tenants are counted; it has every tenant that some loop has counted something of.
    var edition: ConfigurationEdition
    var counters: Counters
    /// By tenant and server.
    var backends: [BackendCount]
    var shared: SharedCount

    /// Asks every loop.
    ///
    /// - Throws: If the loops have been stopped.
    static func take(
        from workers: [WorkerHandle],
        _ live: LiveConfiguration,
        _ shared: SharedState
    ) async throws -> Self {
        var sum = Counters(tenantCount: live.current.tenants.count)
        var backends: [BackendCount] = []
        for worker in workers {
            let (counters, counts) = try await worker.ask { ($0.currentCounters(), $0.backendCounts()) }
            sum.add(counters)
            backends = BackendCount.sum(backends, counts)
        }
        let shared = await SharedCount(shared)
        // A reload may have added tenants meanwhile. It is live before a loop counts for it.
        let edition = live.current
        sum.grow(tenantCount: edition.tenants.count)
        return GatewayCount(edition: edition, counters: sum, backends: backends, shared: shared)
    }
}
