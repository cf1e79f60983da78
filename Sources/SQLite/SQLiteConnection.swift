import CSQLite

/// A connection to a database file. Its methods block, and obey the cancellation of the task that calls them.
public final class SQLiteConnection {
    public enum Access: Sendable {
        case readOnly
        /// The file must exist.
        case readWrite
    }

    public enum Transaction: String, Sendable {
        /// Sees the database as it is at its first statement.
        case read = "BEGIN"
        /// No other writes meanwhile.
        case write = "BEGIN IMMEDIATE"
    }

    private static let mostCached = 64

    /// Nil once it is closed.
    private var handle: OpaquePointer?
    /// Prepared statements that are not in use, by their text.
    private var cache: [String: OpaquePointer] = [:]
    private var isInTransaction = false

    /// - Parameter busyMilliseconds: How long a statement waits for locks of others.
    public init(_ path: String, access: Access, busyMilliseconds: Int32) throws(SQLiteError) {
        let mode =
            switch access {
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE
            }
        let code = sqlite3_open_v2(path, &handle, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK else { throw error(code) }
        sqlite3_busy_timeout(handle, busyMilliseconds)
    }

    deinit { close() }

    /// The last connection to a file moves its write-ahead log into it.
    public func close() {
        for statement in cache.values { sqlite3_finalize(statement) }
        cache = [:]
        // With a cursor still there, SQLite closes it when that is gone.
        sqlite3_close_v2(handle)
        handle = nil
    }

    // MARK: Statements

    /// - Parameters:
    ///   - sql: One statement; it stays prepared for the next call with the same text.
    ///   - arguments: As many as it has parameters.
    /// - Returns: A cursor before the first row. Nothing has been executed yet.
    public func query(_ sql: String, _ arguments: [SQLiteValue] = []) throws(SQLiteError) -> SQLiteCursor {
        try checkMayContinue()
        let statement = if let cached = cache.removeValue(forKey: sql) { cached } else { try prepare(sql) }
        let cursor = SQLiteCursor(self, sql, statement)
        try cursor.bind(arguments)
        return cursor
    }

    /// Executes one statement and ignores its rows.
    public func execute(_ sql: String, _ arguments: [SQLiteValue] = []) throws(SQLiteError) {
        var cursor = try query(sql, arguments)
        while try cursor.next() {}
    }

    /// - Returns: The first column of the first row; nil if it is null or there is no row.
    public func integer(_ sql: String, _ arguments: [SQLiteValue] = []) throws(SQLiteError) -> Int64? {
        var cursor = try query(sql, arguments)
        guard try cursor.next(), !cursor.isNull(0) else { return nil }
        return try cursor.integer(0)
    }

    /// Executes statements without parameters, whether the task is cancelled or not.
    public func script(_ sql: String) throws(SQLiteError) {
        guard let handle else { throw .closed }
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// How many rows the last INSERT, UPDATE or DELETE changed.
    public var changes: Int { handle.map { Int(sqlite3_changes($0)) } ?? 0 }

    public var lastInsertedRowID: Int64 { handle.map { sqlite3_last_insert_rowid($0) } ?? 0 }

    /// Does all of `work` or, if it throws, none of it.
    public func transaction<Result>(_ kind: Transaction, _ work: (SQLiteConnection) throws -> Result) throws -> Result {
        try checkMayContinue()
        try script(kind.rawValue)
        isInTransaction = true
        defer { isInTransaction = false }
        do {
            let result = try work(self)
            try script("COMMIT")
            return result
        } catch {
            // After some errors SQLite has done so itself.
            if isOpenTransaction { try? script("ROLLBACK") }
            assert(!isOpenTransaction)
            throw error
        }
    }

    private var isOpenTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    private func prepare(_ sql: String) throws(SQLiteError) -> OpaquePointer {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK else { throw error(code) }
        guard let statement else { throw SQLiteError(code: SQLITE_MISUSE, message: "no statement in \(sql)") }
        return statement
    }

    // MARK: For cursors and workers

    func takeBack(_ statement: OpaquePointer, _ sql: String) {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
        if handle != nil, cache[sql] == nil, cache.count < Self.mostCached {
            cache[sql] = statement
        } else {
            sqlite3_finalize(statement)
        }
    }

    /// - Throws: `SQLITE_INTERRUPT` if the task is cancelled; `SQLITE_ABORT` if SQLite gave up the transaction: the
    ///   rest of its statements would be executed without one.
    func checkMayContinue() throws(SQLiteError) {
        guard handle != nil else { throw .closed }
        guard !Task.isCancelled else { throw .cancelled }
        guard !isInTransaction || isOpenTransaction else { throw .aborted }
    }

    func error(_ code: Int32) -> SQLiteError {
        SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)))
    }

    /// Does `work` so that `interrupt` can break it off.
    func allowing<Result>(
        _ interrupt: SQLiteInterrupt,
        _ work: (SQLiteConnection) throws -> Result
    ) throws -> Result {
        guard let handle else { throw SQLiteError.closed }
        interrupt.begin(handle)
        defer { interrupt.end() }
        return try work(self)
    }
}
