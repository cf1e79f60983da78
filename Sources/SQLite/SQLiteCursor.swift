import CSQLite

/// A statement that is being executed. Reads the columns of the row that it is at, counted from 0.
public struct SQLiteCursor: ~Copyable {
    private let connection: SQLiteConnection
    private let sql: String
    private let statement: OpaquePointer
    private var isDone = false

    init(_ connection: SQLiteConnection, _ sql: String, _ statement: OpaquePointer) {
        self.connection = connection
        self.sql = sql
        self.statement = statement
    }

    deinit { connection.takeBack(statement, sql) }

    /// - Throws: `SQLITE_RANGE` for another number of arguments than of parameters.
    func bind(_ arguments: [SQLiteValue]) throws(SQLiteError) {
        guard arguments.count == Int(sqlite3_bind_parameter_count(statement)) else {
            throw SQLiteError(code: SQLITE_RANGE, message: "\(arguments.count) arguments for \(sql)")
        }
        for (index, argument) in zip(Int32(1)..., arguments) {
            let code = bind(argument, at: index)
            guard code == SQLITE_OK else { throw connection.error(code) }
        }
    }

    private func bind(_ argument: SQLiteValue, at index: Int32) -> Int32 {
        switch argument {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let integer): sqlite3_bind_int64(statement, index, integer)
        case .real(let number): sqlite3_bind_double(statement, index, number)
        case .text(let text):
            text.withCString { start in
                let count = UInt64(text.utf8.count)
                let encoding = UInt8(SQLITE_UTF8)
                return sqlite3_bind_text64(statement, index, start, count, gatehouse_sqlite_transient(), encoding)
            }
        // Bytes without an address would be null.
        case .bytes([]): sqlite3_bind_zeroblob(statement, index, 0)
        case .bytes(let bytes):
            sqlite3_bind_blob64(statement, index, bytes, UInt64(bytes.count), gatehouse_sqlite_transient())
        }
    }

    /// Goes on to the first or next row.
    ///
    /// - Returns: Whether there is one.
    public mutating func next() throws(SQLiteError) -> Bool {
        // One step more would execute the statement again.
        guard !isDone else { return false }
        try connection.checkMayContinue()
        let code = sqlite3_step(statement)
        guard code != SQLITE_ROW else { return true }
        isDone = true
        guard code == SQLITE_DONE else { throw connection.error(code) }
        return false
    }

    // MARK: Columns

    public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    public func integer(_ column: Int32) throws(SQLiteError) -> Int64 {
        try expect(SQLITE_INTEGER, column)
        return sqlite3_column_int64(statement, column)
    }

    public func real(_ column: Int32) throws(SQLiteError) -> Double {
        try expect(SQLITE_FLOAT, column)
        return sqlite3_column_double(statement, column)
    }

    /// What is not UTF-8 in it is replaced by U+FFFD.
    public func text(_ column: Int32) throws(SQLiteError) -> String {
        try expect(SQLITE_TEXT, column)
        guard let start = sqlite3_column_text(statement, column) else { throw .outOfMemory }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    public func bytes(_ column: Int32) throws(SQLiteError) -> [UInt8] {
        try expect(SQLITE_BLOB, column)
        let start = sqlite3_column_blob(statement, column)
        let count = Int(sqlite3_column_bytes(statement, column))
        guard count > 0 else { return [] }
        guard let start else { throw .outOfMemory }
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Other programs may have changed the file, and SQLite would convert what it finds.
    private func expect(_ type: Int32, _ column: Int32) throws(SQLiteError) {
        guard sqlite3_column_type(statement, column) == type else {
            throw SQLiteError(
                code: SQLITE_MISMATCH,
                message: "column \(column) has another type than was written"
            )
        }
    }
}
