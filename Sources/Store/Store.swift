/// State that is shared between instances or survives a restart. There are three equivalent implementations: Redis for
/// a fleet, SQLite for one machine, memory for experiments.
///
/// A request with a cached token does not use it. Every implementation bounds how long a call waits.
public protocol Store: Sendable {
    /// Its kind, for logs: `redis`, `embedded` or `memory`.
    var name: String { get }

    /// Whether the store was reachable at its last use: `gatehouse_store_up`.
    var isUp: Bool { get }

    /// Whether it has been unavailable for longer than any call waits: until it is back, calls fail at once.
    var isAbsent: Bool { get }

    /// Whether it is on this machine: then it reports writes itself, and no network can delay them.
    var isLocal: Bool { get }

    /// Opens it. A store on the network need not be reachable yet: it keeps connecting in the background.
    ///
    /// - Throws: For permanent problems: a file that cannot be opened, a certificate that cannot be read.
    func open() async throws(StoreError)

    /// Closes files and connections; calls under way fail.
    func close() async

    // MARK: Values

    /// - Returns: Nil if there is none, or it has expired.
    func value(for key: StoreKey) async throws(StoreError) -> [UInt8]?

    /// - Parameter lifetime: Nil to keep it until it is removed.
    func set(_ value: [UInt8], for key: StoreKey, lifetime: Duration?) async throws(StoreError)

    /// Replaces `expected` with `value`, if that is the current value; nil if there is none, or it has expired.
    ///
    /// - Parameter lifetime: From now on. Nil to keep the present expiry; a new value then has none.
    /// - Returns: Whether it was replaced.
    func replace(
        _ expected: [UInt8]?,
        with value: [UInt8],
        for key: StoreKey,
        lifetime: Duration?
    ) async throws(StoreError) -> Bool

    func remove(_ key: StoreKey) async throws(StoreError)

    /// A page of the keys of one kind that have a value, for work on all of them. In no order, and a key may come twice; of
    /// those that come or go meanwhile each may be among them or not.
    ///
    /// - Parameters:
    ///   - cursor: From the previous page; nil for the first.
    ///   - limit: An approximate number.
    /// - Returns: And the cursor for the next page; nil after the last. A page before it may be empty.
    func keys(
        ofTenant tenant: String,
        kind: String,
        cursor: String?,
        limit: Int
    ) async throws(StoreError) -> (keys: [StoreKey], next: String?)

    // MARK: Leases

    /// Takes a lease, for one holder at a time across all instances.
    ///
    /// - Parameter duration: How long it is held unless renewed or released.
    /// - Returns: Nil while another holds it.
    func acquire(_ key: StoreKey, for duration: Duration) async throws(StoreError) -> Lease?

    /// - Returns: Whether this holder still held it; then it is now held for `duration`.
    func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Bool

    /// Releases the lease if this holder still holds it.
    func release(_ lease: Lease) async throws(StoreError)

    /// Sets the value if this holder still holds the lease, in one step: a holder that has lost it without noticing
    /// cannot overwrite the next holder's value.
    ///
    /// - Parameters:
    ///   - key: Of the lease's tenant, so that the two are kept together.
    ///   - lifetime: Nil to keep it until it is removed.
    /// - Returns: Whether it was set.
    func set(
        _ value: [UInt8],
        for key: StoreKey,
        lifetime: Duration?,
        holding lease: Lease
    ) async throws(StoreError) -> Bool

    // MARK: Revocations

    /// Revokes. When this returns, the records survive a restart of gateway and store, and are announced to all
    /// instances.
    ///
    /// A revocation in force is never weakened: the later ``Revocation/revokedAt`` and the later
    /// ``Revocation/expiresAt`` of the two apply from then on, with the new note. To shorten a revocation, withdraw it
    /// first. Withdrawn and expired ones do not count.
    ///
    /// - Returns: The stored records, in the given order.
    func revoke(_ revocations: [Revocation]) async throws(StoreError) -> [RevocationRecord]

    /// Withdraws revocations. Each leaves a record of the withdrawal, so that no instance restores it.
    ///
    /// - Returns: The records of those that were in force.
    func withdraw(_ targets: [RevocationTarget], tenant: String) async throws(StoreError) -> [RevocationRecord]

    /// Restores what the store has lost: each record that it lacks, or has in an older or unreadable form, becomes a
    /// change that is announced to all instances.
    func restore(_ records: [RevocationRecord]) async throws(StoreError)

    /// Every record of the tenants, including withdrawn ones, in pages.
    ///
    /// An unreadable record is left out, and logged with its tenant and digest: it might have been a revocation, but
    /// without all others every request would have to be refused. Revoking the same again repairs it, as does an
    /// instance that still has it, with ``restore(_:)``.
    ///
    /// - Returns: The position for ``changes(after:waiting:)``, chosen so that nothing is missed; reading entries twice
    ///   does no harm.
    func loadRevocations(
        tenants: [String],
        page: @Sendable ([RevocationRecord]) async -> Void
    ) async throws(StoreError) -> StorePosition

    /// Every record of further tenants, as by a load, for an instance that has loaded the others and follows the changes:
    /// those made meanwhile are among the changes.
    func loadFurtherRevocations(
        tenants: [String],
        page: @Sendable ([RevocationRecord]) async -> Void
    ) async throws(StoreError)

    /// A tenant's revocations in force, for operators. Unreadable ones are left out, as by a load.
    ///
    /// - Parameters:
    ///   - cursor: From the previous page; nil for the first.
    ///   - limit: An approximate number.
    func revocations(
        tenant: String,
        cursor: String?,
        limit: Int
    ) async throws(StoreError) -> (records: [RevocationRecord], next: String?)

    /// Removes expired records, a bounded number of them.
    func removeExpiredRevocations(tenants: [String]) async throws(StoreError)

    // MARK: Allowances

    /// Counts requests against allowances that all instances share: each is added, whether or not it was within the
    /// allowance, so that excess is made up for.
    ///
    /// None of it needs to survive a restart of the store.
    ///
    /// - Parameters:
    ///   - uses: No key twice.
    ///   - timeout: How long the store may take, if it has to be waited for.
    /// - Returns: For each the microseconds until its allowance is full again if no more requests are allowed.
    func use(_ uses: [AllowanceUse], timeout: Duration) async throws(StoreError) -> [Int64]

    // MARK: Collections

    /// Entries of a collection, in the order of the bytes of their names.
    ///
    /// - Parameters:
    ///   - name: The last one of the previous page; nil for the first page.
    ///   - limit: The maximum number, at most ``CollectionLimits/page``.
    func entries(
        of collection: StoreCollection,
        after name: String?,
        limit: Int
    ) async throws(StoreError) -> [StoreEntry]

    /// - Parameter names: At most ``CollectionLimits/page``.
    /// - Returns: Those of them that there are, in their order.
    func entries(_ names: [String], of collection: StoreCollection) async throws(StoreError) -> [StoreEntry]

    /// Carries out all changes in one step, or none: the conditions are about what is there before the first of them.
    /// When this returns, the changes survive a restart as revocations do. They are not announced.
    ///
    /// - Parameter changes: No entry twice.
    func change(_ changes: [EntryChange]) async throws(StoreError) -> EntryChangeResult

    // MARK: Changes

    /// Notifies all instances that are listening now, this one included.
    func announce(_ announcement: Announcement) async throws(StoreError)

    /// The changes since `position`; waits for up to `duration` if there are none, or until ``wake()``. Returning fewer
    /// than ``StoreChanges/fullPage`` changes proves contact: there were no more at that time.
    func changes(after position: StorePosition, waiting duration: Duration) async throws(StoreError) -> StoreChanges

    /// Ends the waits for changes, if the store is local.
    func wake()
}

extension Store {
    public var isAbsent: Bool { false }

    public var isLocal: Bool { false }

    public func wake() {}

    /// Replaces `expected` with `value`, like ``replace(_:with:for:lifetime:)``; its lifetime is kept.
    ///
    /// - Returns: Whether it was replaced.
    public func replace(
        _ expected: [UInt8]?,
        with value: [UInt8],
        for key: StoreKey
    ) async throws(StoreError) -> Bool {
        try await replace(expected, with: value, for: key, lifetime: nil)
    }
}

/// A position in the store's history. Only the store that returned it can interpret it.
public struct StorePosition: Sendable, Hashable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }
}

/// The changes after a position.
public enum StoreChanges: Sendable, Equatable {
    /// The changes since, in order: all of them, or as many as ``fullPage``.
    case changes([RevocationRecord], [Announcement], StorePosition)
    /// The history after the position was trimmed or lost, or is unreadable: load the revocations again. The position
    /// that the load returns is after the unreadable part.
    case missed

    /// The maximum number of changes that one call returns. With so many, more may be waiting; with fewer, there were
    /// no more.
    public static let fullPage = RevocationLimits.changesPerCall
}

/// Notifies all instances of a change. It may be lost: listeners also check at intervals.
public struct Announcement: Sendable, Hashable {
    /// The subject area, like `key-set`.
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
    /// Known only to the holder.
    public let holder: String
    /// Greater than that of every earlier holder, so that a late write of an earlier one is recognized.
    public let fencingToken: UInt64

    public init(key: StoreKey, holder: String, fencingToken: UInt64) {
        self.key = key
        self.holder = holder
        self.fencingToken = fencingToken
    }
}

extension Store {
    public func loadFurtherRevocations(
        tenants: [String],
        page: @Sendable ([RevocationRecord]) async -> Void
    ) async throws(StoreError) {
        _ = try await loadRevocations(tenants: tenants, page: page)
    }
}
