import Synchronization
public import Time

/// Not shared and not durable: for experiments and tests.
public final class MemoryStore: Store {
    public let name = "memory"
    public let isLocal = true
    public let isUp = true
    private let now: UnixClock
    private let signal = EventSignal()
    private let state: Mutex<MemoryState>
    /// Positions of another memory are invalid here.
    private let epoch = UInt64.random(in: .min ... .max)

    public convenience init(clock: @escaping UnixClock = Clock.unix) {
        self.init(
            clock: clock,
            keptChanges: RevocationLimits.keptChanges,
            keptAnnouncements: RevocationLimits.keptAnnouncements
        )
    }

    /// - Parameters:
    ///   - keptChanges: The minimum number of changes kept for readers that fell behind.
    ///   - keptAnnouncements: The same for announcements.
    init(clock: @escaping UnixClock, keptChanges: Int, keptAnnouncements: Int) {
        now = clock
        state = Mutex(MemoryState(keptChanges: keptChanges, keptAnnouncements: keptAnnouncements))
    }

    public func open() async throws(StoreError) {}

    public func close() async { signal.notify() }

    // MARK: Values

    public func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? {
        let now = now()
        return state.withLock { $0.value(for: key, now: now) }
    }

    public func set(_ value: [UInt8], for key: StoreKey, lifetime: Duration?) async throws(StoreError) {
        let now = now()
        let expiresAt = lifetime.map { now + $0.seconds } ?? .distantFuture
        state.withLock { $0.set(value, for: key, expiresAt: expiresAt, now: now) }
    }

    public func replace(
        _ expected: [UInt8]?,
        with value: [UInt8],
        for key: StoreKey,
        lifetime: Duration?
    ) async throws(StoreError) -> Bool {
        let now = now()
        let expiresAt = lifetime.map { now + $0.seconds }
        return state.withLock { $0.replace(expected, with: value, for: key, expiresAt: expiresAt, now: now) }
    }

    public func remove(_ key: StoreKey) async throws(StoreError) { state.withLock { $0.remove(key) } }

    public func keys(
        ofTenant tenant: String,
        kind: String,
        cursor: String?,
        limit: Int
    ) async throws(StoreError) -> (keys: [StoreKey], next: String?) {
        let now = now()
        let prefix = StoreKey(tenant: tenant, kind: kind, name: "").text
        let page = state.withLock { $0.keys(prefix: prefix, after: cursor, limit: limit, now: now) }
        return (page, page.count < limit ? nil : page.last?.text)
    }

    // MARK: Leases

    public func acquire(_ key: StoreKey, for duration: Duration) async throws(StoreError) -> Lease? {
        let now = now()
        let holder = Lease.newHolder()
        return state.withLock { $0.acquire(key, holder: holder, expiresAt: now + duration.seconds, now: now) }
    }

    public func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Bool {
        let now = now()
        return state.withLock { $0.renew(lease, expiresAt: now + duration.seconds, now: now) }
    }

    public func release(_ lease: Lease) async throws(StoreError) { state.withLock { $0.release(lease) } }

    public func set(
        _ value: [UInt8],
        for key: StoreKey,
        lifetime: Duration?,
        holding lease: Lease
    ) async throws(StoreError) -> Bool {
        let now = now()
        let expiresAt = lifetime.map { now + $0.seconds } ?? .distantFuture
        return state.withLock { state in
            guard state.isHeld(lease, now: now) else { return false }
            state.set(value, for: key, expiresAt: expiresAt, now: now)
            return true
        }
    }

    // MARK: Allowances

    public func use(_ uses: [AllowanceUse], timeout: Duration) async throws(StoreError) -> [Int64] {
        let now = AllowanceTime.microseconds(now())
        return state.withLock { state in uses.map { state.allowances.use($0, now: now) } }
    }

    // MARK: Revocations

    public func revoke(_ revocations: [Revocation]) async throws(StoreError) -> [RevocationRecord] {
        for revocation in revocations { try revocation.validate() }
        let now = now()
        let records = state.withLock { state -> [RevocationRecord] in
            var records: [RevocationRecord] = []
            for revocation in revocations { records.append(state.revoke(revocation, now: now)) }
            return records
        }
        if !records.isEmpty { signal.notify() }
        return records
    }

    public func withdraw(
        _ targets: [RevocationTarget],
        tenant: String
    ) async throws(StoreError) -> [RevocationRecord] {
        let now = now()
        let records = state.withLock { state -> [RevocationRecord] in
            var records: [RevocationRecord] = []
            for target in targets {
                let record = state.withdraw(RevocationDigest(target), tenant: tenant, now: now)
                if let record { records.append(record) }
            }
            return records
        }
        if !records.isEmpty { signal.notify() }
        return records
    }

    public func restore(_ records: [RevocationRecord]) async throws(StoreError) {
        for record in records { try record.validate() }
        let now = now()
        let isChanged = state.withLock { state in
            var isChanged = false
            for record in records where record.expiresAt > now && state.restore(record) { isChanged = true }
            return isChanged
        }
        if isChanged { signal.notify() }
    }

    public func loadRevocations(
        tenants: [String],
        page: @Sendable ([RevocationRecord]) async -> Void
    ) async throws(StoreError) -> StorePosition {
        let (records, position) = state.withLock { state -> ([RevocationRecord], StorePosition) in
            (tenants.flatMap(state.records(of:)), self.position(of: state))
        }
        for start in stride(from: 0, to: records.count, by: RevocationLimits.page) {
            await page(Array(records[start..<min(start + RevocationLimits.page, records.count)]))
        }
        return position
    }

    public func revocations(
        tenant: String,
        cursor: String?,
        limit: Int
    ) async throws(StoreError) -> (records: [RevocationRecord], next: String?) {
        let start = try RevocationDigest.from(cursor: cursor)
        let now = now()
        let following = state.withLock { state -> [RevocationRecord] in
            state.records(of: tenant)
                .filter { $0.isInForce(at: now) && (start.map($0.digest.isAfter) ?? true) }
                .sorted { $1.digest.isAfter($0.digest) }
        }
        let records = Array(following.prefix(max(1, limit)))
        return (records, records.count < following.count ? records.last?.digest.text : nil)
    }

    public func removeExpiredRevocations(tenants: [String]) async throws(StoreError) {
        let now = now()
        state.withLock { state in
            for tenant in tenants { state.removeExpired(tenant: tenant, now: now) }
        }
    }

    // MARK: Collections

    public func entries(
        of collection: StoreCollection,
        after name: String?,
        limit: Int
    ) async throws(StoreError) -> [StoreEntry] {
        state.withLock { $0.collections.entries(of: collection, after: name, limit: limit) }
    }

    public func entries(_ names: [String], of collection: StoreCollection) async throws(StoreError) -> [StoreEntry] {
        state.withLock { $0.collections.entries(names, of: collection) }
    }

    public func change(_ changes: [EntryChange]) async throws(StoreError) -> EntryChangeResult {
        state.withLock { $0.collections.change(changes) }
    }

    // MARK: Changes

    public func announce(_ announcement: Announcement) async throws(StoreError) {
        state.withLock { $0.announce(announcement) }
        signal.notify()
    }

    public func changes(
        after position: StorePosition,
        waiting duration: Duration
    ) async throws(StoreError) -> StoreChanges {
        let count = signal.count
        let changes = state.withLock { self.changes(in: $0, after: position) }
        guard case .changes([], [], _) = changes else { return changes }
        await signal.wait(past: count, for: duration)
        return state.withLock { self.changes(in: $0, after: position) }
    }

    public func wake() { signal.notify() }

    private func changes(in state: MemoryState, after position: StorePosition) -> StoreChanges {
        guard let start = HistoryPosition(position), start.epoch == epoch,
            let changes = state.changes.events(after: start.change, count: RevocationLimits.changesPerCall)
        else { return .missed }
        let count = RevocationLimits.changesPerCall
        // Announcements may be lost: dropped ones are skipped.
        let announced = state.announcements.events(after: start.announcement, count: count)
        let next = HistoryPosition(
            epoch: epoch,
            change: start.change + changes.count,
            announcement: announced.map { start.announcement + $0.count } ?? state.announcements.last
        )
        return .changes(Array(changes), Array(announced ?? []), next.position)
    }

    private func position(of state: MemoryState) -> StorePosition {
        HistoryPosition(epoch: epoch, change: state.changes.last, announcement: state.announcements.last).position
    }
}

/// A position in numbered histories: `epoch-change-announcement`.
private struct HistoryPosition {
    var epoch: UInt64
    var change: Int
    var announcement: Int

    init(epoch: UInt64, change: Int, announcement: Int) {
        self.epoch = epoch
        self.change = change
        self.announcement = announcement
    }

    init?(_ position: StorePosition) {
        let parts = position.text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let epoch = UInt64(parts[0]), let change = Int(parts[1]),
            let announcement = Int(parts[2])
        else { return nil }
        self.init(epoch: epoch, change: change, announcement: announcement)
    }

    var position: StorePosition { StorePosition("\(epoch)-\(change)-\(announcement)") }
}
