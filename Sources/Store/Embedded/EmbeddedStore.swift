import Dispatch
public import Logging
import SQLite
import Synchronization
public import Time

/// A SQLite file: shared by the processes of one machine, kept across restarts, and sufficient for a single gateway.
///
/// Acknowledged writes are on the disk: the write-ahead log is synced with every commit.
public final class EmbeddedStore: Store {
    /// Longer than SQLite waits for another process's write.
    static let callLimit: Duration = .seconds(5)
    /// How often to check for writes of other processes if the system sends no notifications.
    static let checkInterval: Duration = .milliseconds(200)
    /// The longest pause between checks with notifications, which do not report a file that is replaced.
    static let longestPause: Duration = .seconds(4)

    private enum State {
        case closed
        case open(SQLitePool, EmbeddedWatch?)
    }

    public let name = "embedded"
    public let isLocal = true
    let path: String
    let now: UnixClock
    let signal = EventSignal()
    /// How often readers waiting for changes were woken for another reason.
    let wakes = Atomic(0)
    let keptChanges: Int64
    let unreadable: UnreadableLog
    private let state = Mutex(State.closed)
    private let works = Atomic(false)

    /// - Parameter logger: Gets reports of unreadable entries.
    public convenience init(
        path: String,
        logger: Logger = Logger(label: "gatehouse.store"),
        clock: @escaping UnixClock = Clock.unix
    ) {
        self.init(path: path, logger: logger, clock: clock, keptChanges: RevocationLimits.keptChanges)
    }

    /// - Parameter keptChanges: The minimum number of changes kept for readers that fell behind.
    init(path: String, logger: Logger, clock: @escaping UnixClock, keptChanges: Int) {
        self.path = path
        unreadable = UnreadableLog(logger)
        self.keptChanges = Int64(keptChanges)
        now = clock
    }

    public var isUp: Bool { works.load(ordering: .acquiring) }

    public func open() async throws(StoreError) {
        let path = path
        // It blocks, and the threads for tasks are too few for that.
        let pool = try await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Result { () throws(StoreError) in try EmbeddedFile.open(path) })
            }
        }.get()
        let watch = EmbeddedWatch(path) { [signal] in signal.notify() }
        state.withLock { $0 = .open(pool, watch) }
        works.store(true, ordering: .releasing)
    }

    public func close() async {
        let pool: SQLitePool? = state.withLock { state in
            defer { state = .closed }
            guard case .open(let pool, let watch) = state else { return nil }
            watch?.stop()
            return pool
        }
        works.store(false, ordering: .releasing)
        signal.notify()
        await pool?.close()
    }

    /// Whether the system reports other processes' writes.
    var isWatched: Bool {
        if case .open(_, .some) = state.withLock({ $0 }) { true } else { false }
    }

    // MARK: Access

    func read<Result: Sendable>(
        _ work: @escaping @Sendable (SQLiteConnection) throws -> Result
    ) async throws(StoreError) -> Result {
        try await access { try await $0.read(work) }
    }

    /// Executes all of `work` or, if it throws, none of it.
    func write<Result: Sendable>(
        _ work: @escaping @Sendable (SQLiteConnection) throws -> Result
    ) async throws(StoreError) -> Result {
        try await access { try await $0.write(work) }
    }

    private func access<Result: Sendable>(
        _ work: @escaping @Sendable (SQLitePool) async throws -> Result
    ) async throws(StoreError) -> Result {
        guard case .open(let pool, _) = state.withLock({ $0 }) else { throw .unavailable("\(path) is not open") }
        let path = path
        do throws(StoreError) {
            let result = try await within(Self.callLimit) { () async throws(StoreError) in
                do {
                    return try await work(pool)
                } catch {
                    throw EmbeddedFile.translate(error, path: path)
                }
            }
            works.store(true, ordering: .releasing)
            return result
        } catch {
            switch error {
            case .unavailable where Task.isCancelled: break
            case .unavailable, .unusable: works.store(false, ordering: .releasing)
            case .sealBroken, .garbled: works.store(true, ordering: .releasing)
            }
            throw error
        }
    }
}

// MARK: - Values

extension EmbeddedStore {
    /// How many expired values each addition removes.
    private static let swept = 8

    public func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? {
        let now = now()
        return try await read { try Self.value(for: key, now: now, $0) }
    }

    public func set(_ value: [UInt8], for key: StoreKey, lifetime: Duration?) async throws(StoreError) {
        let now = now()
        try await write { db in
            try Self.sweep("value", now: now, db)
            try Self.put(value, for: key, expiresAt: lifetime.map { now + $0.seconds } ?? .distantFuture, db)
        }
    }

    public func replace(
        _ expected: [UInt8]?,
        with value: [UInt8],
        for key: StoreKey,
        lifetime: Duration?
    ) async throws(StoreError) -> Bool {
        let now = now()
        return try await write { db in
            guard try Self.value(for: key, now: now, db) == expected else { return false }
            guard expected != nil, lifetime == nil else {
                try Self.sweep("value", now: now, db)
                try Self.put(value, for: key, expiresAt: lifetime.map { now + $0.seconds } ?? .distantFuture, db)
                return true
            }
            try db.execute("UPDATE value SET content = ? WHERE key = ?", [.bytes(value), .utf8(key.text)])
            return true
        }
    }

    public func remove(_ key: StoreKey) async throws(StoreError) {
        try await write { try $0.execute("DELETE FROM value WHERE key = ?", [.utf8(key.text)]) }
    }

    public func keys(
        ofTenant tenant: String,
        kind: String,
        cursor: String?,
        limit: Int
    ) async throws(StoreError) -> (keys: [StoreKey], next: String?) {
        let now = now()
        let first = StoreKey(tenant: tenant, kind: kind, name: "").text
        // What comes after the colon, at which the names begin.
        let end = StoreKey(tenant: tenant, kind: kind + ";", name: "").text.dropLast()
        return try await read { db in
            let sql = "SELECT key FROM value WHERE key > ? AND key < ? AND expires_at > ? ORDER BY key LIMIT ?"
            let range: [SQLiteValue] = [.utf8(cursor ?? first), .utf8(String(end))]
            var rows = try db.query(sql, range + [.time(now), .integer(Int64(limit))])
            var keys: [StoreKey] = []
            while try rows.next() { keys.append(StoreKey(text: String(decoding: try rows.bytes(0), as: UTF8.self))) }
            return (keys, keys.count < limit ? nil : keys.last?.text)
        }
    }

    static func value(for key: StoreKey, now: UnixTime, _ db: SQLiteConnection) throws -> [UInt8]? {
        let sql = "SELECT content FROM value WHERE key = ? AND expires_at > ?"
        var rows = try db.query(sql, [.utf8(key.text), .time(now)])
        return try rows.next() ? try rows.bytes(0) : nil
    }

    static func put(_ value: [UInt8], for key: StoreKey, expiresAt: UnixTime, _ db: SQLiteConnection) throws {
        let row: [SQLiteValue] = [.utf8(key.text), .bytes(value), .time(expiresAt)]
        try db.execute("REPLACE INTO value (key, content, expires_at) VALUES (?, ?, ?)", row)
    }

    /// - Parameter table: `value` or `lease`.
    static func sweep(_ table: String, now: UnixTime, _ db: SQLiteConnection) throws {
        let expired = "SELECT key FROM \(table) WHERE expires_at <= ? AND expires_at < 9e999 LIMIT \(swept)"
        try db.execute("DELETE FROM \(table) WHERE key IN (\(expired))", [.time(now)])
    }
}

// MARK: - Leases

extension EmbeddedStore {
    public func acquire(_ key: StoreKey, for duration: Duration) async throws(StoreError) -> Lease? {
        let now = now()
        return try await write { db in
            let held = "SELECT 1 FROM lease WHERE key = ? AND expires_at > ?"
            guard try db.integer(held, [.utf8(key.text), .time(now)]) == nil else { return nil }
            try Self.sweep("lease", now: now, db)
            let token = try EmbeddedMeta.nextFencingToken(db, now: now)
            let lease = Lease(key: key, holder: Lease.newHolder(), fencingToken: token)
            let row: [SQLiteValue] = [.utf8(key.text), .text(lease.holder), .time(now + duration.seconds)]
            try db.execute("REPLACE INTO lease (key, holder, expires_at) VALUES (?, ?, ?)", row)
            return lease
        }
    }

    public func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Bool {
        let now = now()
        return try await write { db in
            let sql = "UPDATE lease SET expires_at = ? WHERE key = ? AND holder = ? AND expires_at > ?"
            let end = SQLiteValue.time(now + duration.seconds)
            try db.execute(sql, [end, .utf8(lease.key.text), .text(lease.holder), .time(now)])
            return db.changes == 1
        }
    }

    public func set(
        _ value: [UInt8],
        for key: StoreKey,
        lifetime: Duration?,
        holding lease: Lease
    ) async throws(StoreError) -> Bool {
        let now = now()
        return try await write { db in
            let held = "SELECT 1 FROM lease WHERE key = ? AND holder = ? AND expires_at > ?"
            guard try db.integer(held, [.utf8(lease.key.text), .text(lease.holder), .time(now)]) != nil else {
                return false
            }
            try Self.sweep("value", now: now, db)
            try Self.put(value, for: key, expiresAt: lifetime.map { now + $0.seconds } ?? .distantFuture, db)
            return true
        }
    }

    public func release(_ lease: Lease) async throws(StoreError) {
        try await write { db in
            let held: [SQLiteValue] = [.utf8(lease.key.text), .text(lease.holder)]
            try db.execute("DELETE FROM lease WHERE key = ? AND holder = ?", held)
        }
    }
}

extension SQLiteValue {
    /// Text that may contain NUL, or is compared with stored bytes.
    static func utf8(_ text: String) -> SQLiteValue { .bytes(Array(text.utf8)) }

    static func time(_ time: UnixTime) -> SQLiteValue { .real(time.seconds) }
}
