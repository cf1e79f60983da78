import Time

/// Versions as all stores make them: Unix milliseconds in front and a count behind. A store that lost its data goes on
/// above what instances remember of it.
enum RevocationVersion {
    static let countBits: UInt64 = 20

    /// - Parameters:
    ///   - last: The greatest that the store knows.
    static func next(after last: UInt64, now: UnixTime) -> UInt64 {
        let milliseconds = UInt64(exactly: (max(0, now.seconds) * 1000).rounded(.down)) ?? 0
        let earliest = milliseconds < 1 << (63 - countBits) ? milliseconds << countBits : 0
        return max(earliest, last &+ 1)
    }
}

/// Bounds that all stores share.
enum RevocationLimits {
    /// How long a withdrawn record is kept at most: an instance that was cut off for longer might bring it
    /// back.
    static let withdrawnLifetime: Double = 30 * 24 * 3600
    /// Records a page of ``Store/loadRevocations(tenants:page:)``.
    static let page = 5000
    /// Records that one clean-up forgets for each tenant.
    static let cleanUp = 5000
    /// Changes that one call of ``Store/news(after:waiting:)`` tells.
    static let news = 5000
    /// Changes, and announcements, that are kept for readers that fell behind.
    static let keptChanges = 100_000
    static let keptAnnouncements = 10_000
}

extension Revocation {
    /// A time that is not a number would sort nowhere.
    func validate() throws(StoreError) {
        guard revokedAt.seconds.isFinite, !expiresAt.seconds.isNaN else {
            throw .garbled("the times of a revocation are not numbers")
        }
    }
}

extension RevocationRecord {
    func isInForce(at now: UnixTime) -> Bool { !isWithdrawn && expiresAt > now }

    /// This record as the replacement of one that is in force: it neither ends sooner nor covers less.
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
    /// What is put back comes from another's memory.
    func validate() throws(StoreError) {
        guard revokedAt.seconds.isFinite, !expiresAt.seconds.isNaN, version < 1 << 63 else {
            throw .garbled("a record to restore has times or a version that cannot be")
        }
    }
}
