package import SharedState
package import Tenants
package import Time

/// A tenant's revocations on one event loop. For a caller that was looked up once, a check costs a comparison until the
/// next change.
package final class TenantRevocations {
    /// The revocation status of a verified caller.
    package enum Status {
        case good
        case revoked
        /// The copy is too old, and the tenant refuses in that case.
        case unknown
    }

    package private(set) var set = RevocationSet()
    /// Grows with each new set; never 0, which marks callers who were not looked up yet.
    private var generation: UInt64 = 1
    /// Whether the copy is older than the tenant's `max_staleness`, or was never loaded.
    private var isStale = true
    private var refusesWhenStale: Bool
    /// Nanoseconds.
    package private(set) var maximumStaleness: UInt64

    init(_ tenant: Tenant) {
        refusesWhenStale = tenant.onStoreFailure == .deny
        maximumStaleness = tenant.maxStaleness.nanosecondsClamped
    }

    /// Sets the tenant's rules.
    package func adopt(_ tenant: Tenant) {
        refusesWhenStale = tenant.onStoreFailure == .deny
        maximumStaleness = tenant.maxStaleness.nanosecondsClamped
    }

    package func use(_ set: RevocationSet) {
        self.set = set
        generation += 1
    }

    /// - Parameters:
    ///   - contact: When the store was last known to have nothing newer; nil for never.
    ///   - now: By the same clock.
    package func age(since contact: MonotonicTime?, at now: MonotonicTime) {
        isStale = contact.map { now > $0 && now - $0 > maximumStaleness } ?? true
    }

    package func status(of caller: Caller, at now: UnixTime) -> Status {
        if caller.clearedBy != generation {
            if set.isRevoked(caller.marks, at: now) { return .revoked }
            caller.clearedBy = generation
        }
        return isStale && refusesWhenStale ? .unknown : .good
    }
}
