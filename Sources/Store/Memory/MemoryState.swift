import Time

/// The content of a ``MemoryStore``. A value: the time is passed with each call.
struct MemoryState {
    private struct Kept<Content> {
        var content: Content
        var expiresAt: UnixTime
    }

    /// The number of additions between two sweeps of expired entries.
    private static let sweepInterval = 1024

    private var values: [StoreKey: Kept<[UInt8]>] = [:]
    private var leases: [StoreKey: Kept<Lease>] = [:]
    var allowances = SpentAllowances()
    var collections = MemoryCollections()
    private var additions = 0
    private var lastFencingToken: UInt64 = 0
    private var lastVersion: UInt64 = 0
    private var records: [String: [RevocationDigest: RevocationRecord]] = [:]
    private(set) var changes: History<RevocationRecord>
    private(set) var announcements: History<Announcement>

    init(keptChanges: Int, keptAnnouncements: Int) {
        changes = History(limit: keptChanges)
        announcements = History(limit: keptAnnouncements)
    }

    // MARK: Values

    func value(for key: StoreKey, now: UnixTime) -> [UInt8]? {
        guard let kept = values[key], kept.expiresAt > now else { return nil }
        return kept.content
    }

    mutating func set(_ value: [UInt8], for key: StoreKey, expiresAt: UnixTime, now: UnixTime) {
        sweep(now: now)
        values[key] = Kept(content: value, expiresAt: expiresAt)
    }

    /// - Parameter expiresAt: Nil to keep the expiry, and never for a new value.
    mutating func replace(
        _ expected: [UInt8]?,
        with value: [UInt8],
        for key: StoreKey,
        expiresAt: UnixTime?,
        now: UnixTime
    ) -> Bool {
        guard self.value(for: key, now: now) == expected else { return false }
        let kept = expected == nil ? nil : values[key]?.expiresAt
        set(value, for: key, expiresAt: expiresAt ?? kept ?? .distantFuture, now: now)
        return true
    }

    mutating func remove(_ key: StoreKey) { values[key] = nil }

    /// In order.
    func keys(prefix: String, after text: String?, limit: Int, now: UnixTime) -> [StoreKey] {
        let found = values.filter { key, kept in
            key.text.hasPrefix(prefix) && kept.expiresAt > now && text.map { $0 < key.text } ?? true
        }
        return Array(found.keys.sorted { $0.text < $1.text }.prefix(limit))
    }

    private mutating func sweep(now: UnixTime) {
        additions += 1
        guard additions % Self.sweepInterval == 0 else { return }
        values = values.filter { $0.value.expiresAt > now }
        leases = leases.filter { $0.value.expiresAt > now }
    }

    // MARK: Leases

    mutating func acquire(_ key: StoreKey, holder: String, expiresAt: UnixTime, now: UnixTime) -> Lease? {
        if let kept = leases[key], kept.expiresAt > now { return nil }
        sweep(now: now)
        lastFencingToken += 1
        let lease = Lease(key: key, holder: holder, fencingToken: lastFencingToken)
        leases[key] = Kept(content: lease, expiresAt: expiresAt)
        return lease
    }

    func isHeld(_ lease: Lease, now: UnixTime) -> Bool {
        guard let kept = leases[lease.key] else { return false }
        return kept.content.holder == lease.holder && kept.expiresAt > now
    }

    mutating func renew(_ lease: Lease, expiresAt: UnixTime, now: UnixTime) -> Bool {
        guard isHeld(lease, now: now) else { return false }
        leases[lease.key]?.expiresAt = expiresAt
        return true
    }

    mutating func release(_ lease: Lease) {
        guard leases[lease.key]?.content.holder == lease.holder else { return }
        leases[lease.key] = nil
    }

    // MARK: Revocations

    func records(of tenant: String) -> [RevocationRecord] { records[tenant].map { Array($0.values) } ?? [] }

    mutating func revoke(_ revocation: Revocation, now: UnixTime) -> RevocationRecord {
        var record = RevocationRecord(revocation, version: nextVersion(now: now))
        if let known = records[record.tenant]?[record.digest], known.isInForce(at: now) {
            record = record.keeping(revokedAt: known.revokedAt, expiresAt: known.expiresAt)
        }
        put(record)
        return record
    }

    mutating func withdraw(_ digest: RevocationDigest, tenant: String, now: UnixTime) -> RevocationRecord? {
        guard let record = records[tenant]?[digest], record.isInForce(at: now) else { return nil }
        let withdrawn = record.withdrawn(version: nextVersion(now: now), now: now)
        put(withdrawn)
        return withdrawn
    }

    mutating func restore(_ record: RevocationRecord) -> Bool {
        if let known = records[record.tenant]?[record.digest], known.version >= record.version { return false }
        lastVersion = max(lastVersion, record.version)
        put(record)
        return true
    }

    mutating func removeExpired(tenant: String, now: UnixTime) {
        let expired = (records[tenant] ?? [:]).values.lazy.filter { $0.expiresAt <= now }
        for record in Array(expired.prefix(RevocationLimits.cleanUp)) { records[tenant]?[record.digest] = nil }
    }

    private mutating func nextVersion(now: UnixTime) -> UInt64 {
        lastVersion = RevocationVersion.next(after: lastVersion, now: now)
        return lastVersion
    }

    private mutating func put(_ record: RevocationRecord) {
        records[record.tenant, default: [:]][record.digest] = record
        changes.append(record)
    }

    mutating func announce(_ announcement: Announcement) { announcements.append(announcement) }
}
