import NIOCore
package import SharedState
import Store
import Tenants
import Time
import Verification

/// What a loop checks between two ticks.
struct RevocationWatch {
    /// When the store was last known to have nothing newer.
    var contact: MonotonicTime?
    /// Those of the tenants.
    var limits = StalenessLimits()
    /// Whether a revoked caller may still have requests under way.
    var isSearchDue = false
}

/// Applies revocations on one loop.
extension Worker {
    package func use(_ update: RevocationUpdate) {
        var sets = update.sets
        // Mostly one that was just added, which is the last.
        for tenant in serving.tenants.reversed() {
            guard !sets.isEmpty else { break }
            guard let set = sets.removeValue(forKey: tenant.tenant.name) else { continue }
            tenant.runtime.revocations.use(set)
            copies.revocationWatch.isSearchDue = true
        }
        copies.unclaimedRevocations.merge(sets) { $1 }
        copies.revocationWatch.contact = update.contact
        // A loop that was idle checks again when it wakes.
        ageRevocations(at: loop.clocks.moment)
        if copies.revocationWatch.isSearchDue { loop.wake() }
    }

    func ageRevocations(at now: MonotonicTime) {
        let contact = copies.revocationWatch.contact
        // A contact may be later than the moment in which the loop's turn began.
        let age = contact.map { now > $0 ? now - $0 : 0 }
        guard copies.revocationWatch.limits.isOther(age: age) else { return }
        for tenant in serving.tenants { tenant.runtime.revocations.age(since: contact, at: now) }
    }

    /// Once per tick: the age of the copies, and connections of revoked callers.
    func watchRevocations(at now: MonotonicTime) {
        ageRevocations(at: now)
        guard copies.revocationWatch.isSearchDue else { return }
        let unixTime = loop.clocks.unixTime(at: now)
        var isSomeoneLeft = false
        // Ending one may close its connection, and so change the list.
        let searched = connections.all
        for client in searched where client.endRevoked(unixTime: unixTime, at: now) { isSomeoneLeft = true }
        copies.revocationWatch.isSearchDue = isSomeoneLeft
    }
}
