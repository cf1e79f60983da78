import Synchronization
import Tenants

/// ``TenantCounterparts`` among the stored tenants in force, made once for each configuration that is asked for it.
final class StoredCounterparts: Sendable {
    private struct Made {
        var generation: UInt64
        var counterparts: TenantCounterparts
    }

    private let latest = Mutex<Made?>(nil)

    func among(_ snapshot: ConfigurationSnapshot) -> TenantCounterparts {
        latest.withLock { latest in
            if let latest, latest.generation == snapshot.generation { return latest.counterparts }
            let counterparts = TenantCounterparts(snapshot.configuration.tenants.filter(\.isStored))
            latest = Made(generation: snapshot.generation, counterparts: counterparts)
            return counterparts
        }
    }
}
