import Time

/// Versions in all stores: Unix milliseconds in the upper bits and a count in the lower ones. A store that lost its data
/// continues above the versions that instances remember.
enum RevocationVersion {
    static let countBits: UInt64 = 20

    /// - Parameters:
    ///   - last: The greatest in the store.
    static func next(after last: UInt64, now: UnixTime) -> UInt64 {
        let milliseconds = UInt64(exactly: (max(0, now.seconds) * 1000).rounded(.down)) ?? 0
        let earliest = milliseconds < 1 << (63 - countBits) ? milliseconds << countBits : 0
        return max(earliest, last &+ 1)
    }
}

/// Limits of all stores.
enum RevocationLimits {
    /// How long a withdrawn record is kept at most: an instance that was disconnected for longer might restore the
    /// revocation.
    static let withdrawnLifetime: Double = 30 * 24 * 3600
    /// The number of records in a page of ``Store/loadRevocations(tenants:page:)``.
    static let page = 5000
    /// Records that one clean-up removes for each tenant.
    static let cleanUp = 5000
    /// The maximum number of changes that one call of ``Store/changes(after:waiting:)`` returns.
    static let changesPerCall = 5000
    /// Changes, and announcements, that are kept for slow readers.
    static let keptChanges = 100_000
    static let keptAnnouncements = 10_000
}

extension Revocation {
    /// Rejects times that are not a number, which have no order.
    func validate() throws(StoreError) {
        guard revokedAt.seconds.isFinite, !expiresAt.seconds.isNaN else {
            throw .garbled("the times of a revocation are not numbers")
        }
    }
}

extension RevocationRecord {
    func isInForce(at now: UnixTime) -> Bool { !isWithdrawn && expiresAt > now }

    /// This record as the replacement of one in force: it neither expires sooner nor covers less.
    ///
    /// - Parameters:
    ///   - revokedAt: The other's.
    ///   - expiresAt: The same.
    func keeping(revokedAt: UnixTime, expiresAt: UnixTime) -> RevocationRecord {
        var record = self
        record.revokedAt = max(self.revokedAt, revokedAt)
        record.expiresAt = max(self.expiresAt, expiresAt)
        return record
    }

    /// The record that marks this one as withdrawn.
    func withdrawn(version: UInt64, now: UnixTime) -> RevocationRecord {
        var record = self
        record.isWithdrawn = true
        record.version = version
        record.expiresAt = min(expiresAt, now + RevocationLimits.withdrawnLifetime)
        return record
    }
}

extension RevocationRecord {
    /// Restored records come from another instance's memory.
    func validate() throws(StoreError) {
        guard revokedAt.seconds.isFinite, !expiresAt.seconds.isNaN, version < 1 << 63 else {
            throw .garbled("a record to restore has times or a version that cannot be")
        }
    }
}
