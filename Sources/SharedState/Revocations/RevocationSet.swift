import Store
public import Time

/// A tenant's revocations at one moment: an immutable value that loops get as a whole.
///
/// Most entries are in a large table that successive sets share. Recent changes are in a small table with precedence,
/// so that a change copies only the small one.
public struct RevocationSet: Sendable {
    /// Changes before the two tables are merged.
    private static let mostRecent = 4096

    private var base: RevocationTable
    private var recent: RevocationTable

    public init() {
        self.init(RevocationTable())
    }

    init(_ base: RevocationTable) {
        self.base = base
        recent = RevocationTable()
    }

    /// The approximate number of revocations in force, including those that have expired since the last merge.
    private(set) var count = 0

    subscript(digest: RevocationDigest) -> RevocationEntry? { recent[digest] ?? base[digest] }

    /// Whether a caller is revoked.
    public func isRevoked(_ marks: RevocationMarks, at now: UnixTime) -> Bool {
        if isInForce(marks.token, at: now) { return true }
        if let tokenID = marks.tokenID, isInForce(tokenID, at: now) { return true }
        if let session = marks.session, isInForce(session, at: now) { return true }
        if let subject = marks.subject, isInForce(subject, at: now, issuedAt: marks.issuedAt) { return true }
        return isInForce(RevocationMarks.tenant, at: now, issuedAt: marks.issuedAt)
    }

    /// The time of the later of the revocations of a subject and of the tenant; nil if neither is in force.
    public func latestRevocation(ofSubject subject: String, at now: UnixTime) -> UnixTime? {
        [RevocationDigest(.subject(subject)), RevocationMarks.tenant]
            .compactMap { self[$0] }
            .filter { $0.isInForce(at: now) }
            .map(\.revokedAt)
            .max()
    }

    private func isInForce(_ digest: RevocationDigest, at now: UnixTime) -> Bool {
        self[digest]?.isInForce(at: now) ?? false
    }

    /// Tokens issued at the moment of the revocation, or without `iat`, are revoked too.
    private func isInForce(_ digest: RevocationDigest, at now: UnixTime, issuedAt: UnixTime?) -> Bool {
        guard let entry = self[digest], entry.isInForce(at: now) else { return false }
        guard let issuedAt else { return true }
        return issuedAt <= entry.revokedAt
    }

    // MARK: Changes

    /// - Returns: Whether the set has changed.
    mutating func apply(_ entry: RevocationEntry, for digest: RevocationDigest) -> Bool {
        let before = self[digest]
        if let before, before.version >= entry.version { return false }
        recent.insert(entry, for: digest)
        count += (entry.isWithdrawn ? 0 : 1) - (before.map { $0.isWithdrawn ? 0 : 1 } ?? 0)
        return true
    }

    var isDueForMerge: Bool { recent.count > max(Self.mostRecent, base.count / 64) }

    /// Merges the two tables, without expired entries.
    ///
    /// - Parameter settled: The version up to which all changes were applied: withdrawals before it are dropped, since no
    ///   older record can arrive late.
    mutating func merge(at now: UnixTime, settled: UInt64) {
        var table = RevocationTable(capacity: base.count + recent.count)
        var inForce = 0
        forEach { digest, entry in
            guard now < entry.expiresAt, !entry.isWithdrawn || entry.version > settled else { return }
            table.insert(entry, for: digest)
            if !entry.isWithdrawn { inForce += 1 }
        }
        base = table
        recent = RevocationTable()
        count = inForce
    }

    /// Each digest once, with its latest entry.
    func forEach(_ body: (RevocationDigest, RevocationEntry) -> Void) {
        recent.forEach(body)
        base.forEach { digest, entry in
            if recent[digest] == nil { body(digest, entry) }
        }
    }
}
