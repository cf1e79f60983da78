import Foundation
import GRDB
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
    /// In the order that ``record(_:tenant:)`` reads them.
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
    static func put(_ record: RevocationRecord, _ db: Database) throws -> Bool {
        let arguments: StatementArguments = [
            record.tenant, Int64(bitPattern: record.digest.high), Int64(bitPattern: record.digest.low),
            Int64(bitPattern: record.version), record.isWithdrawn, record.revokedAt.seconds, record.expiresAt.seconds,
            String(decoding: record.note.json, as: UTF8.self),
        ]
        try db.cachedStatement(sql: upsert).execute(arguments: arguments)
        guard db.changesCount == 1 else { return false }
        try db.cachedStatement(sql: append).execute(arguments: arguments)
        return true
    }

    /// Removes an unreadable record with the same digest: it counts as older than any other.
    static func clearUnreadable(for record: RevocationRecord, _ db: Database) throws {
        do {
            _ = try self.record(record.digest, tenant: record.tenant, db)
        } catch is StoreError {
            let sql = "DELETE FROM revocation WHERE tenant = ? AND digest_high = ? AND digest_low = ?"
            let arguments: StatementArguments = [
                record.tenant, Int64(bitPattern: record.digest.high), Int64(bitPattern: record.digest.low),
            ]
            try db.cachedStatement(sql: sql).execute(arguments: arguments)
        }
    }

    /// - Returns: `record`, merged with the one in force for the same target.
    static func merged(_ record: RevocationRecord, now: UnixTime, _ db: Database) throws -> RevocationRecord {
        let sql = """
            SELECT revoked_at, expires_at FROM revocation
            WHERE tenant = ? AND digest_high = ? AND digest_low = ?
                AND NOT withdrawn AND expires_at > ? AND abs(revoked_at) < 9e999
            """
        let arguments: StatementArguments = [
            record.tenant, Int64(bitPattern: record.digest.high), Int64(bitPattern: record.digest.low), now.seconds,
        ]
        guard let known = try Row.fetchOne(db.cachedStatement(sql: sql), arguments: arguments) else { return record }
        return record.keeping(revokedAt: try time(known, 0), expiresAt: try time(known, 1))
    }

    static func record(
        _ digest: RevocationDigest,
        tenant: String,
        _ db: Database
    ) throws -> RevocationRecord? {
        let sql = "SELECT \(columns) FROM revocation WHERE tenant = ? AND digest_high = ? AND digest_low = ?"
        let arguments: StatementArguments = [
            tenant, Int64(bitPattern: digest.high), Int64(bitPattern: digest.low),
        ]
        return try Row.fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
            .map { try record($0, tenant: tenant) }
    }

    /// - Parameters:
    ///   - digest: The last of the previous page; nil for the first.
    ///   - condition: A further condition on columns, with its arguments.
    static func page(
        _ db: Database,
        tenant: String,
        after digest: RevocationDigest?,
        limit: Int,
        where condition: String = "TRUE",
        _ conditionArguments: StatementArguments = []
    ) throws -> EmbeddedPage {
        var arguments: StatementArguments = [tenant]
        var after = ""
        if let digest {
            after = "AND (digest_high, digest_low) > (?, ?)"
            arguments += [Int64(bitPattern: digest.high), Int64(bitPattern: digest.low)]
        }
        let sql = """
            SELECT \(columns) FROM revocation WHERE tenant = ? \(after) AND \(condition)
            ORDER BY digest_high, digest_low LIMIT ?
            """
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: sql),
            arguments: arguments + conditionArguments + [limit]
        )
        var page = EmbeddedPage()
        page.records.reserveCapacity(limit)
        while let row = try rows.next() {
            let digest = try self.digest(row, offset: 0)
            page.last = digest
            do {
                page.records.append(try record(row, tenant: tenant))
            } catch is StoreError {
                page.unreadable.append(digest)
            }
        }
        page.isFull = page.records.count + page.unreadable.count == limit
        return page
    }

    /// - Parameter offset: The index of the first of ``columns``.
    static func record(_ row: Row, tenant: String, offset: Int = 0) throws -> RevocationRecord {
        let note: String = try text(row, offset + 6)
        guard let note = note.utf8.withContiguousStorageIfAvailable({ RevocationNote(json: $0.span) }) ?? nil else {
            throw StoreError.garbled("the note of a revocation of \(tenant)")
        }
        let record = RevocationRecord(
            tenant: tenant,
            digest: try digest(row, offset: offset),
            isWithdrawn: try integer(row, offset + 3) != 0,
            revokedAt: try time(row, offset + 4),
            expiresAt: try time(row, offset + 5),
            version: UInt64(bitPattern: try integer(row, offset + 2)),
            note: note
        )
        try record.validate()
        return record
    }

    private static func digest(_ row: Row, offset: Int) throws -> RevocationDigest {
        RevocationDigest(
            high: UInt64(bitPattern: try integer(row, offset)),
            low: UInt64(bitPattern: try integer(row, offset + 1))
        )
    }

    // A row traps on a type that it does not have, and other programs may have changed the file.

    static func integer(_ row: Row, _ index: Int) throws -> Int64 {
        guard case .int64(let integer) = (row[index] as DatabaseValue).storage else { throw mismatch(index) }
        return integer
    }

    private static func time(_ row: Row, _ index: Int) throws -> UnixTime {
        guard case .double(let number) = (row[index] as DatabaseValue).storage else { throw mismatch(index) }
        return UnixTime(number)
    }

    static func text(_ row: Row, _ index: Int) throws -> String {
        guard case .string(let text) = (row[index] as DatabaseValue).storage else { throw mismatch(index) }
        return text
    }

    static func blob(_ row: Row, _ index: Int) throws -> Data {
        guard case .blob(let data) = (row[index] as DatabaseValue).storage else { throw mismatch(index) }
        return data
    }

    private static func mismatch(_ index: Int) -> StoreError {
        .garbled("column \(index) has another type than was written")
    }
}
