import Events
import IdentityProvider
import SharedState
import Store
import Synchronization
import Time
import TokenSigning

/// Passes the store's changes on to the services that need them. It is made before these, because they and the service
/// that follows the store need each other.
final class StoreChangeRelay: Sendable {
    private struct Listeners {
        var keySets: KeySetService
        var issuers: OwnIssuers
        var refreshes: RefreshService
        var tenants: StoredTenantService?
    }

    private let listeners = Mutex<Listeners?>(nil)

    func connect(
        keySets: KeySetService,
        issuers: OwnIssuers,
        refreshes: RefreshService,
        tenants: StoredTenantService?
    ) {
        listeners.withLock {
            $0 = Listeners(keySets: keySets, issuers: issuers, refreshes: refreshes, tenants: tenants)
        }
    }

    func announced(_ announcement: Announcement) {
        guard let listeners = listeners.withLock({ $0 }) else { return }
        switch announcement.topic {
        case SharedKeySets.topic: Task { await listeners.keySets.announced(announcement.subject) }
        case StoredKeys.topic: Task { await listeners.issuers.keysAnnounced(ofTenant: announcement.subject) }
        case RefreshKeys.topic: Task { await listeners.refreshes.announced(announcement.subject) }
        case StoredTenants.topic: Task { await listeners.tenants?.announced(announcement.subject) }
        default: break
        }
    }

    /// Announcements may have been missed.
    func reloaded() {
        guard let listeners = listeners.withLock({ $0 }) else { return }
        Task { await listeners.keySets.reconcile() }
        Task { await listeners.issuers.reloadKeys() }
        Task { await listeners.refreshes.reloaded() }
        Task { await listeners.tenants?.reloaded() }
    }

    /// Revocations were made here, and not by an issuer of its own sessions: browsers are signed out at the issuer, and
    /// others are told.
    ///
    /// - Throws: If the store has failed, and it is to be repeated.
    func revoked(_ revocations: [Revocation], isSignOut: Bool, _ outbox: EventOutbox) async throws(StoreError) {
        guard let issuers = listeners.withLock({ $0?.issuers }) else { return }
        try await issuers.endBrowsers(ofRevoked: revocations)
        try await RevocationReport(issuers: issuers, outbox: outbox).report(
            revocations,
            isSignOut: isSignOut,
            at: Clock.unix()
        )
    }

    /// - Parameter tenants: Names of the tenants whose revocations changed.
    func revocationsChanged(tenants: Set<String>) {
        guard let listeners = listeners.withLock({ $0 }) else { return }
        Task { await listeners.refreshes.revocationsChanged(tenants: tenants) }
    }
}
