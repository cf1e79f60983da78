import Store
import Synchronization

/// A memory store with a hook before each call, which may throw, or act like another instance.
final class WatchedStore: Store {
    enum Call: String, Sendable, CaseIterable {
        case value, set, replace, remove, revoke
        /// Of collections.
        case entries, change
    }

    typealias Watch = @Sendable (Call) async throws(StoreError) -> Void

    let memory = MemoryStore.still
    private let watch = Mutex<Watch?>(nil)

    func onCall(_ watch: Watch?) { self.watch.withLock { $0 = watch } }

    /// Makes calls of these kinds fail.
    func fail(_ calls: [Call], with error: StoreError = .unavailable("gone")) {
        onCall { (call) async throws(StoreError) in if calls.contains(call) { throw error } }
    }

    private func willCall(_ call: Call) async throws(StoreError) {
        if let watch = watch.withLock({ $0 }) { try await watch(call) }
    }

    var name: String { memory.name }
    var isUp: Bool { memory.isUp }
    func open() async throws(StoreError) { try await memory.open() }
    func close() async { await memory.close() }

    func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? {
        try await willCall(.value)
        return try await memory.value(for: key)
    }

    func set(_ value: [UInt8], for key: StoreKey, lifetime: Duration?) async throws(StoreError) {
        try await willCall(.set)
        try await memory.set(value, for: key, lifetime: lifetime)
    }

    func replace(
        _ expected: [UInt8]?,
        with value: [UInt8],
        for key: StoreKey,
        lifetime: Duration?
    ) async throws(StoreError) -> Bool {
        try await willCall(.replace)
        return try await memory.replace(expected, with: value, for: key, lifetime: lifetime)
    }

    func remove(_ key: StoreKey) async throws(StoreError) {
        try await willCall(.remove)
        try await memory.remove(key)
    }

    func revoke(_ revocations: [Revocation]) async throws(StoreError) -> [RevocationRecord] {
        try await willCall(.revoke)
        return try await memory.revoke(revocations)
    }
}

// MARK: - Not watched

extension WatchedStore {
    func keys(
        ofTenant tenant: String,
        kind: String,
        cursor: String?,
        limit: Int
    ) async throws(StoreError) -> (keys: [StoreKey], next: String?) {
        try await memory.keys(ofTenant: tenant, kind: kind, cursor: cursor, limit: limit)
    }

    func acquire(_ key: StoreKey, for duration: Duration) async throws(StoreError) -> Lease? {
        try await memory.acquire(key, for: duration)
    }

    func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Bool {
        try await memory.renew(lease, for: duration)
    }

    func release(_ lease: Lease) async throws(StoreError) { try await memory.release(lease) }

    func set(
        _ value: [UInt8],
        for key: StoreKey,
        lifetime: Duration?,
        holding lease: Lease
    ) async throws(StoreError) -> Bool {
        try await memory.set(value, for: key, lifetime: lifetime, holding: lease)
    }

    func withdraw(_ targets: [RevocationTarget], tenant: String) async throws(StoreError) -> [RevocationRecord] {
        try await memory.withdraw(targets, tenant: tenant)
    }

    func restore(_ records: [RevocationRecord]) async throws(StoreError) { try await memory.restore(records) }

    func loadRevocations(
        tenants: [String],
        page: @Sendable ([RevocationRecord]) async -> Void
    ) async throws(StoreError) -> StorePosition {
        try await memory.loadRevocations(tenants: tenants, page: page)
    }

    func revocations(
        tenant: String,
        cursor: String?,
        limit: Int
    ) async throws(StoreError) -> (records: [RevocationRecord], next: String?) {
        try await memory.revocations(tenant: tenant, cursor: cursor, limit: limit)
    }

    func use(_ uses: [AllowanceUse], timeout: Duration) async throws(StoreError) -> [Int64] {
        try await memory.use(uses, timeout: timeout)
    }

    func removeExpiredRevocations(tenants: [String]) async throws(StoreError) {
        try await memory.removeExpiredRevocations(tenants: tenants)
    }

    func entries(
        of collection: StoreCollection,
        after name: String?,
        limit: Int
    ) async throws(StoreError) -> [StoreEntry] {
        try await willCall(.entries)
        return try await memory.entries(of: collection, after: name, limit: limit)
    }

    func entries(_ names: [String], of collection: StoreCollection) async throws(StoreError) -> [StoreEntry] {
        try await willCall(.entries)
        return try await memory.entries(names, of: collection)
    }

    func change(_ changes: [EntryChange]) async throws(StoreError) -> EntryChangeResult {
        try await willCall(.change)
        return try await memory.change(changes)
    }

    func announce(_ announcement: Announcement) async throws(StoreError) { try await memory.announce(announcement) }

    func changes(after position: StorePosition, waiting duration: Duration) async throws(StoreError) -> StoreChanges {
        try await memory.changes(after: position, waiting: duration)
    }
}
