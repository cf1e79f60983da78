import Foundation
import GRDB

extension EmbeddedStore {
    public func announce(_ announcement: Announcement) async throws(StoreError) {
        try await write { db in
            try db.cachedStatement(sql: "INSERT INTO announcement (topic, subject) VALUES (?, ?)")
                .execute(arguments: [Data(announcement.topic.utf8), Data(announcement.subject.utf8)])
            try db.cachedStatement(sql: "DELETE FROM announcement WHERE id <= ?")
                .execute(arguments: [db.lastInsertedRowID - Int64(RevocationLimits.keptAnnouncements)])
        }
        bell.ring()
    }

    public func news(
        after position: StorePosition,
        waiting duration: Duration
    ) async throws(StoreError) -> StoreNews {
        let end = ContinuousClock.now + duration
        while true {
            let rings = bell.rings
            let news = try await read { [unreadable] in try Self.news(after: position, $0, unreadable) }
            let left = end - .now
            guard case .changes([], [], _) = news, left > .zero else { return news }
            await bell.wait(past: rings, for: min(left, Self.lookInterval))
            if Task.isCancelled { throw .unavailable("the caller was cancelled") }
        }
    }

    private static func news(
        after position: StorePosition,
        _ db: Database,
        _ unreadable: UnreadableLog
    ) throws -> StoreNews {
        guard var place = EmbeddedPosition(position), try place.isInHistory(db) else { return .missed }
        let limit = RevocationLimits.news
        var changes: [RevocationRecord] = []
        let sql = "SELECT id, tenant, \(EmbeddedRecords.columns) FROM change WHERE id > ? ORDER BY id LIMIT ?"
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: [place.change, limit])
        while let row = try rows.next() {
            place.change = try EmbeddedRecords.integer(row, 0)
            do {
                let record = try EmbeddedRecords.record(row, tenant: try EmbeddedRecords.text(row, 1), offset: 2)
                changes.append(record)
                place.version = record.version
            } catch is StoreError {
                unreadable.foundChange("\(place.change)")
                return .missed
            }
        }
        var announcements: [Announcement] = []
        let told = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT id, topic, subject FROM announcement WHERE id > ? ORDER BY id LIMIT ?"),
            arguments: [place.announcement, limit]
        )
        while let row = try told.next() {
            let topic = String(decoding: try EmbeddedRecords.blob(row, 1), as: UTF8.self)
            let subject = String(decoding: try EmbeddedRecords.blob(row, 2), as: UTF8.self)
            announcements.append(Announcement(topic: topic, subject: subject))
            place.announcement = try EmbeddedRecords.integer(row, 0)
        }
        return .changes(changes, announcements, place.position)
    }
}

/// A place in a file's history: `epoch/change/version/announcement`. The version is that of the change: a file that was
/// put back from a copy counts the same numbers for other changes.
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

    /// Where the file is now.
    static func last(_ db: Database) throws -> EmbeddedPosition {
        let row = try Row.fetchOne(db.cachedStatement(sql: "SELECT id, version FROM change ORDER BY id DESC LIMIT 1"))
        return EmbeddedPosition(
            epoch: try EmbeddedMeta.epoch(db),
            change: try row.map { try EmbeddedRecords.integer($0, 0) } ?? 0,
            version: UInt64(bitPattern: try row.map { try EmbeddedRecords.integer($0, 1) } ?? 0),
            announcement: try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(id) FROM announcement")) ?? 0
        )
    }

    /// Whether the file is the one that it was taken from, and has all that came after it.
    func isInHistory(_ db: Database) throws -> Bool {
        guard try EmbeddedMeta.epoch(db) == epoch else { return false }
        if change == 0 {
            let first = try Int64.fetchOne(db.cachedStatement(sql: "SELECT min(id) FROM change"))
            return first == nil || first == 1
        }
        let version = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT version FROM change WHERE id = ?"),
            arguments: [change]
        )
        return version == Int64(bitPattern: self.version)
    }
}
