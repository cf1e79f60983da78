import Store
import TestSupport

@testable import SharedState

/// The store in memory by a test's clock, which can be taken away, and counts.
final class PretendStore: Store {
    let name = "pretend"
    private let base: MemoryStore
    private let reachable = Awaited(true)
    private let grants = Awaited<[String]>([])
    let announcements = Awaited<[Announcement]>([])

    init(_ clock: PretendClock) {
        base = MemoryStore(clock: { clock.now.unix })
    }

    var isUp: Bool { reachable.value }
    func setUp(_ isUp: Bool) { reachable.update { $0 = isUp } }
    private let outage = Awaited(false)
    /// Away, and known to be for longer than anyone waits.
    func setAbsent(_ isAbsent: Bool) {
        outage.update { $0 = isAbsent }
        setUp(!isAbsent)
    }
    var isAbsent: Bool { outage.value }
    /// How many leases of this kind have been given.
    func grants(of kind: String) -> Int { grants.value.count { $0.contains(":\(kind):") } }

    private func reached() throws(StoreError) -> MemoryStore {
        guard isUp else { throw .unavailable("taken away") }
        return base
    }

    func open() async throws(StoreError) { try await base.open() }
    func close() async { await base.close() }

    func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? { try await reached().value(for: key) }

    func set(_ value: [UInt8], for key: StoreKey, lifetime: Duration?) async throws(StoreError) {
        try await reached().set(value, for: key, lifetime: lifetime)
    }

    func replace(
        _ expected: [UInt8]?,
        with value: [UInt8],
        for key: StoreKey,
        lifetime: Duration?
    ) async throws(StoreError) -> Bool {
        try await reached().replace(expected, with: value, for: key, lifetime: lifetime)
    }

    func remove(_ key: StoreKey) async throws(StoreError) { try await reached().remove(key) }

    func keys(
        ofTenant tenant: String,
        kind: String,
        cursor: String?,
        limit: Int
    ) async throws(StoreError) -> (keys: [StoreKey], next: String?) {
        try await reached().keys(ofTenant: tenant, kind: kind, cursor: cursor, limit: limit)
    }

    func acquire(_ key: StoreKey, for duration: Duration) async throws(StoreError) -> Lease? {
        let lease = try await reached().acquire(key, for: duration)
        if lease != nil { grants.update { $0.append(key.text) } }
        return lease
    }

    func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Bool {
        try await reached().renew(lease, for: duration)
    }

    func set(
        _ value: [UInt8],
        for key: StoreKey,
        lifetime: Duration?,
        holding lease: Lease
    ) async throws(StoreError) -> Bool {
        try await reached().set(value, for: key, lifetime: lifetime, holding: lease)
    }

    func release(_ lease: Lease) async throws(StoreError) { try await reached().release(lease) }

    func announce(_ announcement: Announcement) async throws(StoreError) {
        try await reached().announce(announcement)
        announcements.update { $0.append(announcement) }
    }

    func revoke(_ revocations: [Revocation]) async throws(StoreError) -> [RevocationRecord] {
        try await reached().revoke(revocations)
    }

    func withdraw(
        _ targets: [RevocationTarget],
        tenant: String
    ) async throws(StoreError) -> [RevocationRecord] {
        try await reached().withdraw(targets, tenant: tenant)
    }

    func restore(_ records: [RevocationRecord]) async throws(StoreError) { try await reached().restore(records) }

    func loadRevocations(
        tenants: [String],
        page: @Sendable ([RevocationRecord]) async -> Void
    ) async throws(StoreError) -> StorePosition {
        try await reached().loadRevocations(tenants: tenants, page: page)
    }

    func revocations(
        tenant: String,
        cursor: String?,
        limit: Int
    ) async throws(StoreError) -> (records: [RevocationRecord], next: String?) {
        try await reached().revocations(tenant: tenant, cursor: cursor, limit: limit)
    }

    func use(_ uses: [AllowanceUse], timeout: Duration) async throws(StoreError) -> [Int64] {
        try await reached().use(uses, timeout: timeout)
    }

    func removeExpiredRevocations(tenants: [String]) async throws(StoreError) {
        try await reached().removeExpiredRevocations(tenants: tenants)
    }

    func entries(
        of collection: StoreCollection,
        after name: String?,
        limit: Int
    ) async throws(StoreError) -> [StoreEntry] {
        try await reached().entries(of: collection, after: name, limit: limit)
    }

    func entries(_ names: [String], of collection: StoreCollection) async throws(StoreError) -> [StoreEntry] {
        try await reached().entries(names, of: collection)
    }

    func change(_ changes: [EntryChange]) async throws(StoreError) -> EntryChangeResult {
        try await reached().change(changes)
    }

    func changes(after position: StorePosition, waiting duration: Duration) async throws(StoreError) -> StoreChanges {
        try await reached().changes(after: position, waiting: duration)
    }
}
