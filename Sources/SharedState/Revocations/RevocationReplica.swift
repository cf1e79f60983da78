import Store
import Time

/// All revocations of this instance, and how they change: by what the store tells, by what was just written to it, and
/// by a load of everything after which nothing may be lost that was known here.
struct RevocationReplica {
    private(set) var sets: [String: RevocationSet]
    /// The version up to which the store's changes were seen in order.
    private var settled: UInt64 = 0
    /// The latest version of any change so far.
    private(set) var latest: UInt64 = 0

    /// - Parameter tenants: Whose revocations are kept; those of others are passed over.
    init(tenants: [String]) {
        sets = Dictionary(tenants.map { ($0, RevocationSet()) }) { first, _ in first }
    }

    /// Keeps the revocations of these too from now on.
    mutating func add(tenants: [String]) {
        for tenant in tenants where sets[tenant] == nil { sets[tenant] = RevocationSet() }
    }

    /// Takes changes, whichever way they came and however often.
    ///
    /// - Parameters:
    ///   - inOrder: Whether these are the store's changes, of which none was left out.
    /// - Returns: The tenants whose sets are others now.
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

    /// Takes a revocation that the store does not know yet. Whatever the store says of it later counts as newer.
    ///
    /// - Returns: Whether it changed anything.
    mutating func applyProvisionally(_ revocation: Revocation, at now: UnixTime) -> Bool {
        let digest = RevocationDigest(revocation.target)
        let known = sets[revocation.tenant]?[digest]
        var entry = RevocationEntry(RevocationRecord(revocation, version: (known?.version ?? 0) + 1))
        // As the store will: what is in force is not weakened.
        if let known, known.isInForce(at: now) {
            entry.revokedAt = max(entry.revokedAt, known.revokedAt)
            entry.expiry = max(entry.expiry, known.expiry)
        }
        return sets[revocation.tenant]?.apply(entry, for: digest) ?? false
    }

    /// Lets go of what has expired.
    mutating func removeExpired(at now: UnixTime) {
        for tenant in sets.keys { sets[tenant]?.merge(at: now, settled: settled) }
    }

    /// Takes what was loaded whole for what holds, but keeps what was known here and the store has lost.
    ///
    /// - Parameters:
    ///   - since: ``latest`` when the load began. What came later may be missing in it without being lost.
    /// - Returns: What to put back into the store.
    mutating func replace(with loaded: RevocationLoad, since: UInt64, at now: UnixTime) -> [RevocationRecord] {
        var lost: [RevocationRecord] = []
        // The load may have seen changes that the news will tell again, older ones before them.
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

/// Everything that a store has on record, as it is gathered page by page.
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
