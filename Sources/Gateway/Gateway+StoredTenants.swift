import ConfigurationText
import SharedState
import Tenants
import Time

/// The tenants of the store, beside those of the file.
extension Gateway {
    /// Reads everything and puts it into force.
    ///
    /// - Parameter needsStore: See ``SharedServices/prepare(_:on:needsStore:)``.
    func reloadNow(
        _ running: Running,
        because trigger: ReloadTrigger,
        needsStore: Bool = true
    ) async -> ReloadReport {
        let began = Clock.monotonic()
        let stored = running.shared.storedTenants?.sources ?? []
        guard let result = await reading?(ReadingRequest(stored: stored, known: knownTenants)) else {
            return ReloadReport(result: .refused, generation: live.current.generation)
        }
        TenantSource.forgetLabels(besides: stored)
        note(Dictionary(result.leftOut.map { ($0.name, $0.diagnostics) }) { first, _ in first })
        return await reload(running, from: result, readFrom: began, because: trigger, needsStore: needsStore)
    }

    /// - Returns: False if the reload may succeed later.
    func storedTenantsChanged() async -> Bool {
        let report = await reload(because: .store)
        return report.isInForce || !report.mayRetry
    }

    /// Reads the tenants of the store for the start, before requests are accepted; their copies on disk if the store
    /// cannot be reached. Nothing counts as running afterwards.
    ///
    /// - Returns: What runs with them; the same if there are none.
    func withStoredTenants(_ running: Running) async -> Running {
        guard let service = running.shared.storedTenants, reading != nil else { return running }
        if await !service.load() { await service.restore() }
        guard !service.all.isEmpty else { return running }
        let report = await reloadNow(running, because: .store, needsStore: service.isLoaded)
        guard report.result == .applied, let next = runningNow else { return running }
        state.withLock { $0 = .stopped }
        return next
    }

    func judge(_ sources: [TenantSource]) async -> ReadResult? {
        await reading?(ReadingRequest(stored: sources, isTrial: true, known: knownTenants))
    }

    private func note(_ faulty: [String: [Diagnostic]]) {
        let before = faultyTenants.withLock { known in
            defer { known = faulty }
            return known
        }
        let new = faulty.filter { before[$0.key] != $0.value }.sorted { $0.key < $1.key }
        for (name, mistakes) in new.prefix(ListedLines.most) {
            logger.error(
                "a tenant of the store has mistakes, and is not in force",
                metadata: ["tenant": "\(name)", "mistakes": .array(mistakes.map { "\($0)" })]
            )
        }
        let more = new.count - ListedLines.most
        if more > 0 {
            logger.error(
                "more tenants of the store have mistakes: see GET /api/tenants",
                metadata: ["count": "\(more)"]
            )
        }
    }
}

extension StoredTenantService {
    /// As they are read beside the file.
    nonisolated var sources: [TenantSource] {
        all.map { .stored($0.head.name, TenantText($0.text), by: $0.head.writer) }
    }
}
