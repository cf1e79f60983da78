import CSQLite
import Testing

@testable import SQLite

@Suite struct SQLiteConnectionTests {
    private let file: DatabaseFile
    private let db: SQLiteConnection

    init() throws {
        file = try DatabaseFile()
        db = try file.connection()
        try db.script("CREATE TABLE number (n)")
    }

    /// - Returns: The result code that `work` ends with.
    private func code(_ work: () throws -> Void) -> Int32 {
        do {
            try work()
            return SQLITE_OK
        } catch {
            return (error as? SQLiteError)?.code ?? -1
        }
    }

    // MARK: Values

    @Test(
        arguments: [
            .null, .integer(.min), .integer(-1), .integer(0), .integer(.max),
            .real(-.infinity), .real(.infinity), .real(.leastNonzeroMagnitude), .real(.greatestFiniteMagnitude),
            .real(1),
            .text(""), .text("a\0b"), .text("\0"), .text("ä€😀"),
            .bytes([]), .bytes([0]), .bytes([0xFF, 0, 0xFE]),
        ] as [SQLiteValue]
    )
    func valueComesBackAsItWas(_ value: SQLiteValue) throws {
        try db.execute("INSERT INTO number VALUES (?)", [value])
        var rows = try db.query("SELECT n FROM number")
        #expect(try rows.next())
        let read: SQLiteValue =
            switch value {
            case .null: rows.isNull(0) ? .null : .text("not null")
            case .integer: .integer(try rows.integer(0))
            case .real: .real(try rows.real(0))
            case .text: .text(try rows.text(0))
            case .bytes: .bytes(try rows.bytes(0))
            }
        #expect(read == value)
        #expect(try !rows.next())
    }

    @Test func longValuesComeBackAsTheyWere() throws {
        let text = String(repeating: "€", count: 1_000_000)
        let bytes = [UInt8](repeating: 7, count: 1_000_000)
        try db.execute("INSERT INTO number VALUES (?), (?)", [.text(text), .bytes(bytes)])
        var rows = try db.query("SELECT n FROM number ORDER BY rowid")
        #expect(try rows.next())
        let readText = try rows.text(0)
        #expect(try rows.next())
        let readBytes = try rows.bytes(0)
        let areEqual = readText == text && readBytes == bytes
        #expect(areEqual)
    }

    @Test func notANumberIsStoredAsNull() throws {
        try db.execute("INSERT INTO number VALUES (?)", [.real(.nan)])
        #expect(try db.integer("SELECT count(*) FROM number WHERE n IS NULL") == 1)
    }

    @Test func textThatIsNotUTF8IsReplaced() throws {
        var rows = try db.query("SELECT CAST(x'61FF62' AS TEXT)")
        #expect(try rows.next())
        #expect(try rows.text(0) == "a\u{FFFD}b")
    }

    @Test(arguments: ["1", "1.5", "'1'", "x'31'", "NULL"])
    func columnOfAnotherTypeIsAMismatch(literal: String) throws {
        var rows = try db.query("SELECT \(literal)")
        #expect(try rows.next())
        var mismatches = 0
        for read in 0..<4 {
            do {
                switch read {
                case 0: _ = try rows.integer(0)
                case 1: _ = try rows.real(0)
                case 2: _ = try rows.text(0)
                default: _ = try rows.bytes(0)
                }
            } catch {
                #expect(error.code == SQLITE_MISMATCH)
                mismatches += 1
            }
        }
        #expect(mismatches == (literal == "NULL" ? 4 : 3))
    }

    @Test(arguments: [-1, 1, Int32.max]) func columnThatIsNotThereIsAMismatch(column: Int32) throws {
        #expect(
            code {
                var rows = try db.query("SELECT 1")
                _ = try rows.next()
                _ = try rows.integer(column)
            } == SQLITE_MISMATCH
        )
    }

    @Test func integerIsNilForNullAndForNoRow() throws {
        #expect(try db.integer("SELECT max(n) FROM number") == nil)
        #expect(try db.integer("SELECT n FROM number") == nil)
        #expect(code { _ = try db.integer("SELECT 'text'") } == SQLITE_MISMATCH)
    }

    // MARK: Statements

    @Test func statementIsUsedAgainWithOtherArguments() throws {
        for number in 0..<100 {
            try db.execute("INSERT INTO number VALUES (?)", [.integer(Int64(number))])
            #expect(db.changes == 1)
            #expect(db.lastInsertedRowID == Int64(number + 1))
        }
        #expect(try db.integer("SELECT sum(n) FROM number") == 4950)
    }

    @Test func moreStatementsThanAreKeptCanBeUsed() throws {
        for number in 0..<200 { #expect(try db.integer("SELECT \(number)") == Int64(number)) }
        for number in 0..<200 { #expect(try db.integer("SELECT \(number)") == Int64(number)) }
    }

    @Test func oneTextCanBeExecutedTwiceAtOnce() throws {
        try db.script("INSERT INTO number VALUES (1), (2), (3)")
        var pairs: [[Int64]] = []
        var outer = try db.query("SELECT n FROM number ORDER BY n")
        while try outer.next() {
            var inner = try db.query("SELECT n FROM number ORDER BY n")
            while try inner.next() { pairs.append([try outer.integer(0), try inner.integer(0)]) }
        }
        #expect(pairs == (1...3).flatMap { first in (1...3).map { [first, $0] } })
    }

    @Test func cursorAtItsEndExecutesNothingAgain() throws {
        var cursor = try db.query("INSERT INTO number VALUES (1)")
        for _ in 0..<3 { #expect(try !cursor.next()) }
        #expect(try db.count() == 1)
    }

    @Test func cursorThatIsLeftEarlyIsReset() throws {
        try db.script("INSERT INTO number VALUES (1), (2)")
        for _ in 0..<2 {
            var rows = try db.query("SELECT n FROM number ORDER BY n")
            #expect(try rows.next())
            #expect(try rows.integer(0) == 1)
        }
        // It would be locked.
        try db.script("DROP TABLE number")
    }

    @Test(arguments: [[], [.integer(1), .integer(2)]] as [[SQLiteValue]])
    func wrongNumberOfArgumentsIsAnError(arguments: [SQLiteValue]) throws {
        #expect(code { try db.execute("INSERT INTO number VALUES (?)", arguments) } == SQLITE_RANGE)
        #expect(try db.count() == 0)
    }

    // MARK: Errors

    @Test func errorHasSQLitesCodeAndWords() throws {
        let error = #expect(throws: SQLiteError.self) { try db.execute("SELECT * FROM nowhere") }
        #expect(error == SQLiteError(code: SQLITE_ERROR, message: "no such table: nowhere"))
        #expect(code { try db.execute("") } == SQLITE_MISUSE)
        try db.script("CREATE TABLE once (n INTEGER PRIMARY KEY) WITHOUT ROWID; INSERT INTO once VALUES (1)")
        let twice = #expect(throws: SQLiteError.self) { try db.execute("INSERT INTO once VALUES (1)") }
        // SQLITE_CONSTRAINT_PRIMARYKEY.
        #expect(twice?.code == SQLITE_CONSTRAINT | 6 << 8 && twice?.primaryCode == SQLITE_CONSTRAINT)
        #expect(twice?.message == "UNIQUE constraint failed: once.n")
    }

    @Test func fileThatCannotBeOpenedIsAnError() throws {
        #expect(
            code { _ = try SQLiteConnection("/nonexistent/file.db", access: .readWrite, busyMilliseconds: 0) }
                & 0xFF == SQLITE_CANTOPEN
        )
        let text = try DatabaseFile(String(repeating: "this is no database\n", count: 100))
        #expect(code { _ = try text.connection().integer("PRAGMA user_version") } == SQLITE_NOTADB)
    }

    @Test func readOnlyConnectionWritesNothing() throws {
        let reader = try file.connection(.readOnly)
        #expect(code { try reader.script("INSERT INTO number VALUES (1)") } & 0xFF == SQLITE_READONLY)
        #expect(try reader.count() == 0)
    }

    @Test func closedConnectionThrows() throws {
        var cursor = try db.query("SELECT 1")
        db.close()
        db.close()
        #expect(code { try db.execute("SELECT 1") } == SQLITE_MISUSE)
        #expect(code { try db.script("SELECT 1") } == SQLITE_MISUSE)
        #expect(code { try db.transaction(.read) { _ in } } == SQLITE_MISUSE)
        do {
            _ = try cursor.next()
            Issue.record("not closed")
        } catch {
            #expect(error == .closed)
        }
    }

    // MARK: Transactions

    private struct Refusal: Error {}

    @Test func transactionDoesAllOrNothing() throws {
        try db.transaction(.write) { try $0.script("INSERT INTO number VALUES (1); INSERT INTO number VALUES (2)") }
        #expect(throws: Refusal.self) {
            try db.transaction(.write) { db in
                try db.script("INSERT INTO number VALUES (3)")
                throw Refusal()
            }
        }
        #expect(try db.count() == 2)
        try db.transaction(.write) { try $0.script("DELETE FROM number") }
        #expect(try db.count() == 0)
    }

    @Test func nothingIsExecutedAfterSQLiteGaveUpATransaction() throws {
        try db.script("CREATE TABLE once (n INTEGER PRIMARY KEY); INSERT INTO once VALUES (1)")
        let after = code {
            try db.transaction(.write) { db in
                try db.execute("INSERT INTO number VALUES (1)")
                try? db.execute("INSERT OR ROLLBACK INTO once VALUES (1)")
                try db.execute("INSERT INTO number VALUES (2)")
            }
        }
        #expect(after == SQLITE_ABORT)
        #expect(throws: SQLiteError.self) {
            try db.transaction(.write) { try? $0.execute("INSERT OR ROLLBACK INTO once VALUES (1)") }
        }
        #expect(try db.count() == 0)
        try db.transaction(.write) { try $0.execute("INSERT INTO number VALUES (3)") }
        #expect(try db.count() == 1)
    }

    @Test func writeOfAnotherConnectionIsWaitedForAsLongAsAllowed() throws {
        let other = try file.connection(busyMilliseconds: 0)
        try db.transaction(.write) { _ in
            #expect(code { try other.transaction(.write) { _ in } } == SQLITE_BUSY)
        }
        try other.transaction(.write) { try $0.execute("INSERT INTO number VALUES (1)") }
        #expect(try db.count() == 1)
    }
}
