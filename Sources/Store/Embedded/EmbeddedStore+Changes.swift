import SQLite
import Time

extension EmbeddedStore {
    public func announce(_ announcement: Announcement) async throws(StoreError) {
        try await write { db in
            let row: [SQLiteValue] = [.utf8(announcement.topic), .utf8(announcement.subject)]
            try db.execute("INSERT INTO announcement (topic, subject) VALUES (?, ?)", row)
            let last = db.lastInsertedRowID - Int64(RevocationLimits.keptAnnouncements)
            try db.execute("DELETE FROM announcement WHERE id <= ?", [.integer(last)])
        }
        signal.notify()
    }

    public func changes(
        after position: StorePosition,
        waiting duration: Duration
    ) async throws(StoreError) -> StoreChanges {
        let end = ContinuousClock.now + duration
        let wakes = wakes.load(ordering: .acquiring)
        while true {
            let count = signal.count
            let stamp = EmbeddedStamp(path)
            let changes = try await read { [unreadable] in try Self.changes(after: position, $0, unreadable) }
            guard case .changes([], [], _) = changes, self.wakes.load(ordering: .acquiring) == wakes else {
                return changes
            }
            guard await isWritten(past: count, since: stamp, until: end) else { return changes }
            if Task.isCancelled { throw .unavailable("the caller was cancelled") }
        }
    }

    public func wake() {
        wakes.add(1, ordering: .releasing)
        signal.notify()
    }

    /// Waits until something may have been written, by this process or another; false if nothing was until `end`.
    /// Checking the files' attributes costs a fraction of reading them.
    private func isWritten(
        past count: UInt64,
        since stamp: EmbeddedStamp,
        until end: ContinuousClock.Instant
    ) async -> Bool {
        while !Task.isCancelled, signal.count == count {
            // The notification comes before the commit, which the attributes do not show yet: for as long as a write
            // may take, check repeatedly, however quiet the files are.
            let isNotified =
                isWatched && !signal.wasNotified(within: Self.callLimit) && stamp.isCurrent(path, now: Clock.unix())
            let left = end - .now
            guard left > .zero else { return false }
            await signal.wait(past: count, for: min(left, isNotified ? Self.longestPause : Self.checkInterval))
            guard stamp.isCurrent(path, now: Clock.unix()) else { return true }
        }
        return true
    }

    private static func changes(
        after position: StorePosition,
        _ db: SQLiteConnection,
        _ unreadable: UnreadableLog
    ) throws -> StoreChanges {
        guard let start = EmbeddedPosition(position), try start.isInHistory(db) else { return .missed }
        var reached = start
        let limit = RevocationLimits.changesPerCall
        var changes: [RevocationRecord] = []
        let sql = "SELECT id, tenant, \(EmbeddedRecords.columns) FROM change WHERE id > ? ORDER BY id LIMIT ?"
        var rows = try db.query(sql, [.integer(reached.change), .integer(Int64(limit))])
        while try rows.next() {
            reached.change = try rows.integer(0)
            do {
                let record = try EmbeddedRecords.record(in: rows, tenant: try rows.text(1), offset: 2)
                changes.append(record)
                reached.version = record.version
            } catch let error where EmbeddedRecords.isGarbled(error) {
                unreadable.foundChange("\(reached.change)")
                return .missed
            }
        }
        // Numbers have no gaps: if fewer rows are left than were numbered, some were deleted.
        let last = changes.count < limit ? try EmbeddedPosition.lastNumber(db) : reached.change
        guard reached.change == last, reached.change - start.change == changes.count else { return .missed }
        var announcements: [Announcement] = []
        var rest = try db.query(
            "SELECT id, topic, subject FROM announcement WHERE id > ? ORDER BY id LIMIT ?",
            [.integer(reached.announcement), .integer(Int64(limit))]
        )
        while try rest.next() {
            let topic = String(decoding: try rest.bytes(1), as: UTF8.self)
            let subject = String(decoding: try rest.bytes(2), as: UTF8.self)
            announcements.append(Announcement(topic: topic, subject: subject))
            reached.announcement = try rest.integer(0)
        }
        return .changes(changes, announcements, reached.position)
    }
}

/// A position in a file's history: `epoch/change/version/announcement`. The version is that of the change: a file
/// restored from a copy uses the same numbers for other changes.
struct EmbeddedPosition {
    var epoch: Int64
    var change: Int64
    var version: UInt64
    var announcement: Int64

    var position: StorePosition { StorePosition("\(epoch)/\(change)/\(version)/\(announcement)") }

    init?(_ position: StorePosition) {
        let parts = position.text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, let epoch = Int64(parts[0]), let change = Int64(parts[1]),
            let version = UInt64(parts[2]), let announcement = Int64(parts[3])
        else { return nil }
        self.init(epoch: epoch, change: change, version: version, announcement: announcement)
    }

    private init(epoch: Int64, change: Int64, version: UInt64, announcement: Int64) {
        self.epoch = epoch
        self.change = change
        self.version = version
        self.announcement = announcement
    }

    /// The file's current position.
    static func last(_ db: SQLiteConnection) throws -> EmbeddedPosition {
        let change = try lastNumber(db)
        return EmbeddedPosition(
            epoch: try EmbeddedMeta.epoch(db),
            change: change,
            version: UInt64(bitPattern: try version(of: change, db) ?? 0),
            announcement: try db.integer("SELECT max(id) FROM announcement") ?? 0
        )
    }

    /// The number of the last change ever made, whether its row still exists or not.
    static func lastNumber(_ db: SQLiteConnection) throws -> Int64 {
        let greatest = try db.integer("SELECT max(id) FROM change") ?? 0
        return max(greatest, try db.integer("SELECT seq FROM sqlite_sequence WHERE name = 'change'") ?? 0)
    }

    private static func version(of change: Int64, _ db: SQLiteConnection) throws -> Int64? {
        try db.integer("SELECT version FROM change WHERE id = ?", [.integer(change)])
    }

    /// Whether the position belongs to this file, and its change is in the history.
    func isInHistory(_ db: SQLiteConnection) throws -> Bool {
        guard try EmbeddedMeta.epoch(db) == epoch else { return false }
        // Before the first change there is no row, nor if it was deleted before the load.
        return try Self.version(of: change, db) ?? 0 == Int64(bitPattern: version)
    }
}
