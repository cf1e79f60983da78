import CSQLite
import SQLite
import Time

/// A page of a tenant's records, in the order of their digests.
struct EmbeddedPage: Sendable {
    var records: [RevocationRecord] = []
    /// The digests of unreadable records.
    var unreadable: [RevocationDigest] = []
    /// The digest of the last, readable or not; nil if there is none.
    var last: RevocationDigest?
    /// Whether there may be more after it.
    var isFull = false
}

/// Revocation records as rows of `revocation` and `change`.
enum EmbeddedRecords {
    /// In the order that ``record(in:tenant:offset:)`` reads them.
    static let columns = "digest_high, digest_low, version, withdrawn, revoked_at, expires_at, note"

    private static let upsert = """
        INSERT INTO revocation (tenant, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET version = excluded.version, withdrawn = excluded.withdrawn,
            revoked_at = excluded.revoked_at, expires_at = excluded.expires_at, note = excluded.note
        WHERE excluded.version > version
        """
    private static let append = "INSERT INTO change (tenant, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

    /// Stores the record and its change, unless the stored one is as new.
    ///
    /// - Returns: Whether it was stored.
    static func put(_ record: RevocationRecord, _ db: SQLiteConnection) throws -> Bool {
        let row =
            key(record.digest, tenant: record.tenant) + [
                .integer(Int64(bitPattern: record.version)), .integer(record.isWithdrawn ? 1 : 0),
                .time(record.revokedAt), .time(record.expiresAt),
                .text(String(decoding: record.note.json, as: UTF8.self)),
            ]
        try db.execute(upsert, row)
        guard db.changes == 1 else { return false }
        try db.execute(append, row)
        return true
    }

    /// Removes an unreadable record with the same digest: it counts as older than any other.
    static func clearUnreadable(for record: RevocationRecord, _ db: SQLiteConnection) throws {
        do {
            _ = try self.record(record.digest, tenant: record.tenant, db)
        } catch let error where isGarbled(error) {
            let sql = "DELETE FROM revocation WHERE tenant = ? AND digest_high = ? AND digest_low = ?"
            try db.execute(sql, key(record.digest, tenant: record.tenant))
        }
    }

    /// - Returns: `record`, merged with the one in force for the same target.
    static func merged(_ record: RevocationRecord, now: UnixTime, _ db: SQLiteConnection) throws -> RevocationRecord {
        let sql = """
            SELECT revoked_at, expires_at FROM revocation
            WHERE tenant = ? AND digest_high = ? AND digest_low = ?
                AND NOT withdrawn AND expires_at > ? AND abs(revoked_at) < 9e999
            """
        var known = try db.query(sql, key(record.digest, tenant: record.tenant) + [.time(now)])
        guard try known.next() else { return record }
        return record.keeping(revokedAt: UnixTime(try known.real(0)), expiresAt: UnixTime(try known.real(1)))
    }

    static func record(
        _ digest: RevocationDigest,
        tenant: String,
        _ db: SQLiteConnection
    ) throws -> RevocationRecord? {
        let sql = "SELECT \(columns) FROM revocation WHERE tenant = ? AND digest_high = ? AND digest_low = ?"
        var rows = try db.query(sql, key(digest, tenant: tenant))
        return try rows.next() ? try record(in: rows, tenant: tenant) : nil
    }

    /// - Parameters:
    ///   - digest: The last of the previous page; nil for the first.
    ///   - condition: A further condition on columns, with its arguments.
    static func page(
        _ db: SQLiteConnection,
        tenant: String,
        after digest: RevocationDigest?,
        limit: Int,
        where condition: String = "TRUE",
        _ conditionArguments: [SQLiteValue] = []
    ) throws -> EmbeddedPage {
        var arguments: [SQLiteValue] = [.text(tenant)]
        var after = ""
        if let digest {
            after = "AND (digest_high, digest_low) > (?, ?)"
            arguments = key(digest, tenant: tenant)
        }
        let sql = """
            SELECT \(columns) FROM revocation WHERE tenant = ? \(after) AND \(condition)
            ORDER BY digest_high, digest_low LIMIT ?
            """
        var rows = try db.query(sql, arguments + conditionArguments + [.integer(Int64(limit))])
        var page = EmbeddedPage()
        page.records.reserveCapacity(limit)
        while try rows.next() {
            let digest = try self.digest(in: rows, offset: 0)
            page.last = digest
            do {
                page.records.append(try record(in: rows, tenant: tenant))
            } catch let error where isGarbled(error) {
                page.unreadable.append(digest)
            }
        }
        page.isFull = page.records.count + page.unreadable.count == limit
        return page
    }

    /// The primary key of a record.
    private static func key(_ digest: RevocationDigest, tenant: String) -> [SQLiteValue] {
        [.text(tenant), .integer(Int64(bitPattern: digest.high)), .integer(Int64(bitPattern: digest.low))]
    }

    /// - Parameter offset: The index of the first of ``columns``.
    /// - Throws: What ``isGarbled(_:)`` is true for, of a row that no store wrote.
    static func record(
        in row: borrowing SQLiteCursor,
        tenant: String,
        offset: Int32 = 0
    ) throws -> RevocationRecord {
        guard let note = RevocationNote(json: Array(try row.text(offset + 6).utf8).span) else {
            throw StoreError.garbled("the note of a revocation of \(tenant)")
        }
        let record = RevocationRecord(
            tenant: tenant,
            digest: try digest(in: row, offset: offset),
            isWithdrawn: try row.integer(offset + 3) != 0,
            revokedAt: UnixTime(try row.real(offset + 4)),
            expiresAt: UnixTime(try row.real(offset + 5)),
            version: UInt64(bitPattern: try row.integer(offset + 2)),
            note: note
        )
        try record.validate()
        return record
    }

    /// Whether the error is about the content of a row, and the file itself is fine.
    static func isGarbled(_ error: any Error) -> Bool {
        error is StoreError || (error as? SQLiteError)?.primaryCode == SQLITE_MISMATCH
    }

    private static func digest(in row: borrowing SQLiteCursor, offset: Int32) throws -> RevocationDigest {
        RevocationDigest(
            high: UInt64(bitPattern: try row.integer(offset)),
            low: UInt64(bitPattern: try row.integer(offset + 1))
        )
    }
}
