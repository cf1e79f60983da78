import IdentityProvider
import SharedState
import Store
import Synchronization

/// Passes on news from the store's history. It is made before the listeners, because they and the service that follows
/// the store need each other.
final class StoreChangeRelay: Sendable {
    private struct Listeners {
        var keySets: KeySetService
        var issuers: OwnIssuers
    }

    private let listeners = Mutex<Listeners?>(nil)
    private let refreshes = RefreshUpdates()

    func tell(keySets: KeySetService, issuers: OwnIssuers, refreshes service: RefreshService) {
        listeners.withLock { $0 = Listeners(keySets: keySets, issuers: issuers) }
        refreshes.tell(service)
    }

    func announced(_ announcement: Announcement) {
        guard let listeners = listeners.withLock({ $0 }) else { return }
        switch announcement.topic {
        case SharedKeySets.topic: Task { await listeners.keySets.announced(announcement.subject) }
        case StoredKeys.topic: Task { await listeners.issuers.keysAnnounced(ofTenant: announcement.subject) }
        case RefreshKeys.topic: refreshes.announced(announcement.subject)
        default: break
        }
    }

    /// Announcements may have been missed.
    func reloaded() {
        guard let listeners = listeners.withLock({ $0 }) else { return }
        Task { await listeners.keySets.lookAgain() }
        Task { await listeners.issuers.lookAgain() }
        refreshes.reloaded()
    }

    /// - Parameter tenants: Names of the tenants whose revocations changed.
    func revocationsChanged(tenants: Set<String>) { refreshes.revocationsChanged(tenants: tenants) }
}
