import Store
import Time

/// All revocations of this instance. They change by the store's changes, by this instance's writes, and by a full load,
/// which loses nothing that was known here.
struct RevocationReplica {
    private(set) var sets: [String: RevocationSet]
    /// The version up to which all of the store's changes were applied in order.
    private var settled: UInt64 = 0
    /// The latest version applied.
    private(set) var latest: UInt64 = 0

    /// - Parameter tenants: The names of the tenants whose revocations are kept; others are ignored.
    init(tenants: [String]) {
        sets = Dictionary(tenants.map { ($0, RevocationSet()) }) { first, _ in first }
    }

    /// Keeps the revocations of these tenants as well.
    mutating func add(tenants: [String]) {
        for tenant in tenants where sets[tenant] == nil { sets[tenant] = RevocationSet() }
    }

    /// Adds the loaded records of tenants that were added, to what changes have brought of them since.
    mutating func add(_ loaded: RevocationLoad, of tenants: [String], at now: UnixTime) {
        latest = max(latest, loaded.latest)
        for tenant in tenants {
            guard let known = sets[tenant] else { continue }
            var set = RevocationSet(loaded.tables[tenant] ?? RevocationTable())
            known.forEach { digest, entry in
                if now < entry.expiresAt { _ = set.apply(entry, for: digest) }
            }
            set.merge(at: now, settled: settled)
            sets[tenant] = set
        }
    }

    /// Applies changes, in any order and any number of times.
    ///
    /// - Parameter inOrder: Whether these are the store's changes, without gaps.
    /// - Returns: The tenants whose sets have changed.
    mutating func apply(_ records: [RevocationRecord], inOrder: Bool, at now: UnixTime) -> Set<String> {
        var changed: Set<String> = []
        for record in records {
            latest = max(latest, record.version)
            if inOrder { settled = max(settled, record.version) }
            guard sets[record.tenant]?.apply(RevocationEntry(record), for: record.digest) == true else { continue }
            changed.insert(record.tenant)
        }
        for tenant in changed where sets[tenant]?.isDueForMerge == true {
            sets[tenant]?.merge(at: now, settled: settled)
        }
        return changed
    }

    /// Applies a revocation that is not in the store yet. The store's later record counts as newer.
    ///
    /// - Returns: Whether the set has changed.
    mutating func applyProvisionally(_ revocation: Revocation, at now: UnixTime) -> Bool {
        let digest = RevocationDigest(revocation.target)
        let known = sets[revocation.tenant]?[digest]
        var entry = RevocationEntry(RevocationRecord(revocation, version: (known?.version ?? 0) + 1))
        // Like the store: a revocation in force is not weakened.
        if let known, known.isInForce(at: now) {
            entry.revokedAt = max(entry.revokedAt, known.revokedAt)
            entry.expiry = max(entry.expiry, known.expiry)
        }
        return sets[revocation.tenant]?.apply(entry, for: digest) ?? false
    }

    mutating func removeExpired(at now: UnixTime) {
        for tenant in sets.keys { sets[tenant]?.merge(at: now, settled: settled) }
    }

    /// Replaces the sets with a full load, but keeps entries that the store has lost.
    ///
    /// - Parameter since: ``latest`` when the load began: later entries may be missing in it without being lost.
    /// - Returns: The lost records, to be restored.
    mutating func replace(with loaded: RevocationLoad, since: UInt64, at now: UnixTime) -> [RevocationRecord] {
        var lost: [RevocationRecord] = []
        // Changes that the load includes come again, after older ones.
        settled = 0
        latest = max(latest, loaded.latest)
        for (tenant, known) in sets {
            var set = RevocationSet(loaded.tables[tenant] ?? RevocationTable())
            known.forEach { digest, entry in
                guard now < entry.expiresAt, set.apply(entry, for: digest), entry.version <= since else { return }
                lost.append(
                    RevocationRecord(
                        tenant: tenant,
                        digest: digest,
                        isWithdrawn: entry.isWithdrawn,
                        revokedAt: entry.revokedAt,
                        expiresAt: entry.expiresAt,
                        version: entry.version,
                        note: .restored
                    )
                )
            }
            set.merge(at: now, settled: settled)
            sets[tenant] = set
        }
        return lost
    }
}

/// A full load, collected page by page.
struct RevocationLoad: Sendable {
    private(set) var tables: [String: RevocationTable] = [:]
    /// The latest version among them.
    private(set) var latest: UInt64 = 0

    mutating func add(_ records: [RevocationRecord]) {
        for record in records {
            latest = max(latest, record.version)
            tables[record.tenant, default: RevocationTable()].insert(RevocationEntry(record), for: record.digest)
        }
    }
}
