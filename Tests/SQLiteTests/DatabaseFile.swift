import Foundation
import SQLite

/// An empty file, which is gone when nothing refers to this any more.
final class DatabaseFile: Sendable {
    let path: String

    init(_ content: String = "") throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("sqlite-\(UUID().uuidString).db").path
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
    }

    deinit {
        for suffix in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    func connection(
        _ access: SQLiteConnection.Access = .readWrite,
        busyMilliseconds: Int32 = 5000
    ) throws -> SQLiteConnection {
        try SQLiteConnection(path, access: access, busyMilliseconds: busyMilliseconds)
    }

    /// With a table `number`.
    func pool() throws -> SQLitePool {
        try SQLitePool(path, busyMilliseconds: 60_000) { try $0.script("CREATE TABLE IF NOT EXISTS number (n)") }
    }
}

extension SQLiteConnection {
    func count() throws -> Int64? { try integer("SELECT count(*) FROM number") }
}
