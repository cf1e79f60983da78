import CSQLite
import Synchronization

/// Connections to one file in WAL mode: one that writes, and a few that read meanwhile.
///
/// Calls throw what their work throws and ``SQLiteError``. One whose task is cancelled ends early, and leaves nothing
/// or all of what it wrote.
public final class SQLitePool: Sendable {
    private static let readerCount = 3

    private let writer: SQLiteWorker
    private let readers: [SQLiteWorker]
    /// How many calls each reader has.
    private let calls = Mutex([Int](repeating: 0, count: readerCount))

    /// Blocks. Every commit is synced to the disk.
    ///
    /// - Parameters:
    ///   - path: The path of a database, or of an empty file.
    ///   - busyMilliseconds: How long a statement waits for locks of others.
    ///   - prepare: The first transaction, a write.
    public init(
        _ path: String,
        busyMilliseconds: Int32,
        prepare: @Sendable (SQLiteConnection) throws -> Void
    ) throws {
        func connect(_ access: SQLiteConnection.Access) throws(SQLiteError) -> SQLiteConnection {
            try SQLiteConnection(path, access: access, busyMilliseconds: busyMilliseconds)
        }
        let connection = try connect(.readWrite)
        try Self.turnOnLog(connection, path)
        try connection.transaction(.write, prepare)
        writer = SQLiteWorker(connection)
        readers = try (0..<Self.readerCount).map { _ in SQLiteWorker(try connect(.readOnly)) }
    }

    private static func turnOnLog(_ connection: SQLiteConnection, _ path: String) throws {
        var mode = try connection.query("PRAGMA journal_mode = WAL")
        guard try mode.next(), try mode.text(0) == "wal" else {
            throw SQLiteError(code: SQLITE_ERROR, message: "could not activate WAL Mode at path: \(path)")
        }
        try connection.script("PRAGMA synchronous = FULL")
    }

    /// Executes `work` with a consistent view of the database.
    public func read<Result: Sendable>(
        _ work: @Sendable (SQLiteConnection) throws -> Result
    ) async throws -> Result {
        let index = calls.withLock { calls in
            let index = calls.indices.min { calls[$0] < calls[$1] } ?? 0
            calls[index] += 1
            return index
        }
        defer { calls.withLock { $0[index] -= 1 } }
        return try await readers[index].run(.read, work)
    }

    /// Executes all of `work` or, if it throws, none of it.
    public func write<Result: Sendable>(
        _ work: @Sendable (SQLiteConnection) throws -> Result
    ) async throws -> Result {
        try await writer.run(.write, work)
    }

    /// Lets the calls before it end, and moves the log into the file, which is then complete for anyone who copies it.
    /// Later calls throw.
    public func close() async {
        for reader in readers { await reader.close() }
        await writer.close("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
