import Foundation
import GRDB

/// Revocation records as rows of `revocation` and `change`.
enum EmbeddedRecords {
    /// In the order in which ``record(_:tenant:)`` takes them.
    static let columns = "digest_high, digest_low, version, withdrawn, revoked_at, expires_at, note"

    private static let upsert = """
        INSERT INTO revocation (tenant, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET version = excluded.version, withdrawn = excluded.withdrawn,
            revoked_at = excluded.revoked_at, expires_at = excluded.expires_at, note = excluded.note
        WHERE excluded.version > version
        """
    private static let append = "INSERT INTO change (tenant, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

    /// Puts it on record and among the changes, unless what is on record is as new.
    ///
    /// - Returns: Whether it did.
    static func put(_ record: RevocationRecord, _ db: Database) throws -> Bool {
        let arguments: StatementArguments = [
            record.tenant, Int64(bitPattern: record.digest.high), Int64(bitPattern: record.digest.low),
            Int64(bitPattern: record.version), record.isWithdrawn, record.revokedAt, record.expiresAt,
            String(decoding: record.note.json, as: UTF8.self),
        ]
        try db.cachedStatement(sql: upsert).execute(arguments: arguments)
        guard db.changesCount == 1 else { return false }
        try db.cachedStatement(sql: append).execute(arguments: arguments)
        return true
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
    ///   - digest: The last of the page before; nil for the first.
    ///   - condition: What else must hold, on columns, with its arguments.
    static func page(
        _ db: Database,
        tenant: String,
        after digest: RevocationDigest?,
        limit: Int,
        where condition: String = "TRUE",
        _ conditionArguments: StatementArguments = []
    ) throws -> [RevocationRecord] {
        var arguments: StatementArguments = [tenant]
        var place = ""
        if let digest {
            place = "AND (digest_high, digest_low) > (?, ?)"
            arguments += [Int64(bitPattern: digest.high), Int64(bitPattern: digest.low)]
        }
        let sql = """
            SELECT \(columns) FROM revocation WHERE tenant = ? \(place) AND \(condition)
            ORDER BY digest_high, digest_low LIMIT ?
            """
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: sql),
            arguments: arguments + conditionArguments + [limit]
        )
        var records: [RevocationRecord] = []
        records.reserveCapacity(limit)
        while let row = try rows.next() { records.append(try record(row, tenant: tenant)) }
        return records
    }

    /// - Parameter offset: Where ``columns`` begin.
    static func record(_ row: Row, tenant: String, offset: Int = 0) throws -> RevocationRecord {
        let note: String = try text(row, offset + 6)
        guard let note = note.utf8.withContiguousStorageIfAvailable({ RevocationNote(json: $0.span) }) ?? nil else {
            throw StoreError.garbled("the note of a revocation of \(tenant)")
        }
        return RevocationRecord(
            tenant: tenant,
            digest: RevocationDigest(
                high: UInt64(bitPattern: try integer(row, offset)),
                low: UInt64(bitPattern: try integer(row, offset + 1))
            ),
            isWithdrawn: try integer(row, offset + 3) != 0,
            revokedAt: try number(row, offset + 4),
            expiresAt: try number(row, offset + 5),
            version: UInt64(bitPattern: try integer(row, offset + 2)),
            note: note
        )
    }

    // A row traps when it is asked for a type that it does not have; a file may have been changed by others.

    static func integer(_ row: Row, _ index: Int) throws -> Int64 {
        guard case .int64(let integer) = (row[index] as DatabaseValue).storage else { throw mismatch(index) }
        return integer
    }

    private static func number(_ row: Row, _ index: Int) throws -> Double {
        guard case .double(let number) = (row[index] as DatabaseValue).storage else { throw mismatch(index) }
        return number
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
