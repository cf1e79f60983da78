public import Logging
public import Store
public import Time

extension DeletionService {
    /// - Parameters:
    ///   - parts: Of each tenant with `delete_account`.
    ///   - sealer: Opens the providers' tokens; nil without `GATEHOUSE_KEY`.
    public convenience init(
        _ parts: [DeletionParts],
        store: any Store,
        sealer: Sealer?,
        counts: DeletionCounts,
        logger: Logger,
        now: @escaping @Sendable () -> UnixTime
    ) {
        var participants: [String: Participant] = [:]
        for tenant in parts {
            let (realm, name) = (tenant.tenant.accounts.realm, tenant.tenant.name)
            participants[name] = Participant(
                // No tenant's name has a space.
                scope: realm.map { "realm \($0)" } ?? "tenant \(name)",
                steps: TenantDeletionSteps(tenant, store: store, sealer: sealer)
            )
        }
        self.init(store: store, participants: participants, counts: counts, logger: logger, now: now)
    }
}
