import CSQLite

/// Why SQLite refused something.
public struct SQLiteError: Error, Equatable {
    /// SQLite's extended result code.
    public let code: Int32
    /// In SQLite's words.
    public let message: String

    /// The kind of error, `SQLITE_BUSY` for `SQLITE_BUSY_RECOVERY` and its like.
    public var primaryCode: Int32 { code & 0xFF }

    static let closed = SQLiteError(code: SQLITE_MISUSE, message: "Connection is closed")
    static let cancelled = SQLiteError(code: SQLITE_INTERRUPT, message: "interrupted")
    static let aborted = SQLiteError(code: SQLITE_ABORT, message: "Transaction was aborted")
    static let outOfMemory = SQLiteError(code: SQLITE_NOMEM, message: "out of memory")
}
