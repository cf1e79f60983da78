package import Store
import Synchronization

/// An in-memory store that can be cut off and can lose its content.
package final class FailingStore: Store {
    private struct State {
        var isCut = false
        var store = MemoryStore()
        /// Calls that failed since the last cut.
        var failures = 0
        var waiter: CheckedContinuation<Void, Never>?
        var loads: [[String]] = []
        var pages: [StoreCollection: [Int]] = [:]
    }

    package let name = "failing"
    private let state = Mutex(State())

    package init() {}

    package var isUp: Bool { !state.withLock { $0.isCut } }

    /// Returns when a call has failed since the last cut.
    package func failed() async {
        await withCheckedContinuation { continuation in
            let hasFailed = state.withLock { state in
                if state.failures == 0 { state.waiter = continuation }
                return state.failures > 0
            }
            if hasFailed { continuation.resume() }
        }
    }

    package func cut() {
        state.withLock {
            $0.isCut = true
            $0.failures = 0
        }
    }

    package func heal() { state.withLock { $0.isCut = false } }

    /// As after a failover to a server that has nothing.
    package func loseEverything() { state.withLock { $0.store = MemoryStore() } }

    /// The tenants of each load of revocations.
    package var loads: [[String]] { state.withLock { $0.loads } }

    /// How many entries each listing of a collection gave.
    package func pages(of collection: StoreCollection) -> [Int] { state.withLock { $0.pages[collection] ?? [] } }

    /// The store behind, as another instance sees it.
    package var store: MemoryStore { state.withLock { $0.store } }

    private func reached() throws(StoreError) -> MemoryStore {
        let (store, waiter) = state.withLock { state -> (MemoryStore?, CheckedContinuation<Void, Never>?) in
            guard state.isCut else { return (state.store, nil) }
            state.failures += 1
            defer { state.waiter = nil }
            return (nil, state.waiter)
        }
        waiter?.resume()
        guard let store else { throw .unavailable("cut off") }
        return store
    }

    package func open() async throws(StoreError) {}
    package func close() async {}

    package func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? { try await reached().value(for: key) }
    package func set(_ value: [UInt8], for key: StoreKey, lifetime: Duration?) async throws(StoreError) {
        try await reached().set(value, for: key, lifetime: lifetime)
    }
    package func replace(
        _ old: [UInt8]?,
        with new: [UInt8],
        for key: StoreKey,
        lifetime: Duration?
    ) async throws(StoreError) -> Bool {
        try await reached().replace(old, with: new, for: key, lifetime: lifetime)
    }
    package func remove(_ key: StoreKey) async throws(StoreError) { try await reached().remove(key) }
    package func keys(
        ofTenant tenant: String,
        kind: String,
        cursor: String?,
        limit: Int
    ) async throws(StoreError) -> (keys: [StoreKey], next: String?) {
        try await reached().keys(ofTenant: tenant, kind: kind, cursor: cursor, limit: limit)
    }

    package func acquire(_ key: StoreKey, for duration: Duration) async throws(StoreError) -> Lease? {
        try await reached().acquire(key, for: duration)
    }
    package func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Bool {
        try await reached().renew(lease, for: duration)
    }
    package func release(_ lease: Lease) async throws(StoreError) { try await reached().release(lease) }
    package func set(
        _ value: [UInt8],
        for key: StoreKey,
        lifetime: Duration?,
        holding lease: Lease
    ) async throws(StoreError) -> Bool {
        try await reached().set(value, for: key, lifetime: lifetime, holding: lease)
    }
    package func revoke(_ revocations: [Revocation]) async throws(StoreError) -> [RevocationRecord] {
        try await reached().revoke(revocations)
    }
    package func withdraw(_ targets: [RevocationTarget], tenant: String) async throws(StoreError) -> [RevocationRecord]
    {
        try await reached().withdraw(targets, tenant: tenant)
    }
    package func restore(_ records: [RevocationRecord]) async throws(StoreError) {
        try await reached().restore(records)
    }
    package func loadRevocations(
        tenants: [String],
        page: @Sendable ([RevocationRecord]) async -> Void
    ) async throws(StoreError) -> StorePosition {
        state.withLock { $0.loads.append(tenants) }
        return try await reached().loadRevocations(tenants: tenants, page: page)
    }
    package func revocations(
        tenant: String,
        cursor: String?,
        limit: Int
    ) async throws(StoreError) -> (records: [RevocationRecord], next: String?) {
        try await reached().revocations(tenant: tenant, cursor: cursor, limit: limit)
    }
    package func removeExpiredRevocations(tenants: [String]) async throws(StoreError) {
        try await reached().removeExpiredRevocations(tenants: tenants)
    }
    package func use(_ uses: [AllowanceUse], timeout: Duration) async throws(StoreError) -> [Int64] {
        try await reached().use(uses, timeout: timeout)
    }
    package func entries(
        of collection: StoreCollection,
        after name: String?,
        limit: Int
    ) async throws(StoreError) -> [StoreEntry] {
        let entries = try await reached().entries(of: collection, after: name, limit: limit)
        state.withLock { $0.pages[collection, default: []].append(entries.count) }
        return entries
    }

    package func entries(_ names: [String], of collection: StoreCollection) async throws(StoreError) -> [StoreEntry] {
        try await reached().entries(names, of: collection)
    }

    package func change(_ changes: [EntryChange]) async throws(StoreError) -> EntryChangeResult {
        try await reached().change(changes)
    }

    package func announce(_ announcement: Announcement) async throws(StoreError) {
        try await reached().announce(announcement)
    }
    package func changes(after position: StorePosition, waiting duration: Duration) async throws(StoreError)
        -> StoreChanges
    {
        try await reached().changes(after: position, waiting: duration)
    }
}
