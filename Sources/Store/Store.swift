/// What must be shared between instances or survive a restart. Three implementations give the same: Redis for a fleet,
/// SQLite for one machine, memory for trying things out.
///
/// Nothing here is on the way of a request whose token is in the cache. A call that fails has said so in good time:
/// every implementation bounds how long it waits.
public protocol Store: Sendable {
    /// What it is, for logs: `redis`, `embedded` or `memory`.
    var name: String { get }

    /// Whether the store was reachable when it was last used: `gatehouse_store_up`.
    var isUp: Bool { get }

    /// Whether it has been away for longer than anyone waits for it: until it is back, calls fail at once.
    var isAbsent: Bool { get }

    /// Whether it is on this machine: it says of itself when something was written, and no network can keep that back.
    var isLocal: Bool { get }

    /// Opens it. A store on the network need not be reachable yet: it connects in the background, again and again.
    ///
    /// - Throws: What will not mend by itself: a file that cannot be opened, a certificate that cannot be read.
    func open() async throws(StoreError)

    /// Lets go of files and connections; calls under way fail.
    func close() async

    // MARK: Values

    /// - Returns: Nil if there is none, or it has expired.
    func value(for key: StoreKey) async throws(StoreError) -> [UInt8]?

    /// - Parameter lifetime: Nil: until it is removed.
    func set(_ value: [UInt8], for key: StoreKey, lifetime: Duration?) async throws(StoreError)

    /// Puts `value` in the place of `expected`, if that is what is there now; nil: if there is nothing, or it has
    /// expired.
    ///
    /// - Parameter lifetime: From now on. Nil: it goes on as it was, and what is new has none.
    /// - Returns: Whether it did.
    func replace(
        _ expected: [UInt8]?,
        with value: [UInt8],
        for key: StoreKey,
        lifetime: Duration?
    ) async throws(StoreError) -> Bool

    func remove(_ key: StoreKey) async throws(StoreError)

    // MARK: Leases

    /// Takes a lease, for one holder at a time across all instances.
    ///
    /// - Parameter duration: How long it is held if nobody renews or releases it.
    /// - Returns: Nil while another holds it.
    func acquire(_ key: StoreKey, for duration: Duration) async throws(StoreError) -> Lease?

    /// - Returns: Whether it was still held by this holder, and is now held for `duration` from here on.
    func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Bool

    /// Gives the lease back if it is still held by this holder.
    func release(_ lease: Lease) async throws(StoreError)

    /// Sets the value if the lease is still held by this holder, in one step: whoever lost the lease without knowing
    /// cannot overwrite what the next holder wrote.
    ///
    /// - Parameters:
    ///   - key: Of the tenant of the lease, so that the two are kept together.
    ///   - lifetime: Nil: until it is removed.
    /// - Returns: Whether it did.
    func set(
        _ value: [UInt8],
        for key: StoreKey,
        lifetime: Duration?,
        holding lease: Lease
    ) async throws(StoreError) -> Bool

    // MARK: Revocations

    /// Revokes. When this returns, the records survive a restart of gateway and store, and all instances are told.
    ///
    /// What is in force for a target is never weakened: the later ``Revocation/revokedAt`` and the later
    /// ``Revocation/expiresAt`` of the two hold from then on, with the new note. To shorten a revocation, withdraw it
    /// first. What was withdrawn or has expired does not count.
    ///
    /// - Returns: What is on record now, in the order given.
    func revoke(_ revocations: [Revocation]) async throws(StoreError) -> [RevocationRecord]

    /// Takes revocations back. Each leaves a record that it was, so that no instance brings it back.
    ///
    /// - Returns: The records of those that were in force.
    func withdraw(_ targets: [RevocationTarget], tenant: String) async throws(StoreError) -> [RevocationRecord]

    /// Puts back what the store has lost: each record that it has no record for, or an older one, or one that cannot be
    /// read, becomes a change that all instances are told.
    func restore(_ records: [RevocationRecord]) async throws(StoreError)

    /// Everything that is on record for the tenants, what was withdrawn included, in pages.
    ///
    /// A record that cannot be read is left out, and said in the log with its tenant and digest: it might have been a
    /// revocation, but without all others every request would have to be refused. Revoking the same anew mends it, and
    /// so does an instance that still knows it, with ``restore(_:)``.
    ///
    /// - Returns: Where to go on with ``news(after:waiting:)`` so that nothing is missed; what is read twice does no
    ///   harm.
    func loadRevocations(
        tenants: [String],
        page: @Sendable ([RevocationRecord]) async -> Void
    ) async throws(StoreError) -> StorePosition

    /// A tenant's revocations in force, for people. Those that cannot be read are left out, as by a load.
    ///
    /// - Parameters:
    ///   - cursor: What the page before said; nil for the first.
    ///   - limit: About how many.
    func revocations(
        tenant: String,
        cursor: String?,
        limit: Int
    ) async throws(StoreError) -> (records: [RevocationRecord], next: String?)

    /// Forgets records that have expired, a bounded number of them.
    func removeExpiredRevocations(tenants: [String]) async throws(StoreError)

    // MARK: Allowances

    /// Counts requests against allowances that all instances share: each is added, whether or not it was within the
    /// allowance, so that what was too much is made up for.
    ///
    /// Nothing of it needs to outlive a restart of the store.
    ///
    /// - Parameters:
    ///   - uses: No key twice.
    ///   - timeout: How long the store may take, where it has to be waited for.
    /// - Returns: For each the microseconds until its allowance is whole again if nothing more is let through.
    func use(_ uses: [AllowanceUse], timeout: Duration) async throws(StoreError) -> [Int64]

    // MARK: News

    /// Tells all instances, this one included, those that listen now.
    func announce(_ announcement: Announcement) async throws(StoreError)

    /// What happened since `position`; waits for up to `duration` if nothing did, or until ``wake()``. That it returns fewer than
    /// ``StoreNews/fullPage`` changes proves contact: nothing more had happened then.
    func news(after position: StorePosition, waiting duration: Duration) async throws(StoreError) -> StoreNews

    /// Ends the waits for news, where the store is local.
    func wake()
}

extension Store {
    public var isAbsent: Bool { false }

    public var isLocal: Bool { false }

    public func wake() {}

    /// Puts `value` in the place of `expected`, as ``replace(_:with:for:lifetime:)`` does; its lifetime goes on as it
    /// was.
    ///
    /// - Returns: Whether it did.
    public func replace(
        _ expected: [UInt8]?,
        with value: [UInt8],
        for key: StoreKey
    ) async throws(StoreError) -> Bool {
        try await replace(expected, with: value, for: key, lifetime: nil)
    }
}

/// A place in the store's history. Means something to the store only that gave it.
public struct StorePosition: Sendable, Hashable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }
}

/// What a store tells of a stretch of its history.
public enum StoreNews: Sendable, Equatable {
    /// What happened since, in order: all of it, or as many changes as ``fullPage``.
    case changes([RevocationRecord], [Announcement], StorePosition)
    /// The stretch is not there any more, trimmed or lost, or cannot be read: load the revocations whole. Where that
    /// says to go on is behind what could not be read.
    case missed

    /// How many changes one call tells at most. Where it tells so many, more may be waiting; where it tells fewer,
    /// nothing more was.
    public static let fullPage = RevocationLimits.news
}

/// A word to all instances that something is worth a look. It may be lost: whoever waits for it looks anyway, later.
public struct Announcement: Sendable, Hashable {
    /// Who listens, like `key-set`.
    public var topic: String
    public var subject: String

    public init(topic: String, subject: String) {
        self.topic = topic
        self.subject = subject
    }
}

/// Proof of holding a lease.
public struct Lease: Sendable, Hashable {
    public let key: StoreKey
    /// Known to the holder alone.
    public let holder: String
    /// Greater than that of every holder before, so that what an earlier one sends late can be told from the new one's.
    public let fencingToken: UInt64

    public init(key: StoreKey, holder: String, fencingToken: UInt64) {
        self.key = key
        self.holder = holder
        self.fencingToken = fencingToken
    }
}
