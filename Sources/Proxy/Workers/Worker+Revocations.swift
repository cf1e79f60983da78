import NIOCore
package import SharedState
import Store
import Tenants
import Time
import Verification

/// What a loop has to look after between two ticks.
struct RevocationWatch {
    /// When the store was last known to have nothing newer.
    var contact: MonotonicTime?
    /// Whether someone may have been revoked who still has something under way.
    var isSearchDue = false
}

/// Revocations as they reach one loop.
extension Worker {
    package func use(_ update: RevocationUpdate) {
        var sets = update.sets
        for tenant in serving.tenants {
            guard let set = sets.removeValue(forKey: tenant.tenant.name) else { continue }
            tenant.runtime.revocations.use(set)
            copies.revocationWatch.isSearchDue = true
        }
        copies.unclaimedRevocations.merge(sets) { $1 }
        copies.revocationWatch.contact = update.contact
        // A loop that sleeps looks anew when it wakes.
        for tenant in serving.tenants { tenant.runtime.revocations.age(since: update.contact, at: loop.clocks.moment) }
        if copies.revocationWatch.isSearchDue { loop.wake() }
    }

    /// Once a tick: how old the copies are, and who is still connected that may not be.
    func watchRevocations(at now: MonotonicTime) {
        for tenant in serving.tenants { tenant.runtime.revocations.age(since: copies.revocationWatch.contact, at: now) }
        guard copies.revocationWatch.isSearchDue else { return }
        let unixTime = loop.clocks.unixTime(at: now)
        var isSomeoneLeft = false
        // Ending one may close its connection, and so change the list.
        let searched = connections.all
        for client in searched where client.endRevoked(unixTime: unixTime, at: now) { isSomeoneLeft = true }
        copies.revocationWatch.isSearchDue = isSomeoneLeft
    }
}
