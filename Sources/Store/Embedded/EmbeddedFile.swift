import CSQLite
import Glibc
import SQLite

/// Opens the file of an ``EmbeddedStore``. Blocks.
enum EmbeddedFile {
    /// How long a statement waits for another process that is writing.
    static let busyTimeout: Duration = .seconds(2)

    /// Between two attempts to open a file that others are opening too.
    static let pauseMicroseconds: UInt32 = 20_000

    /// Creates the file, readable only for its owner, if there is none.
    ///
    /// - Throws: ``StoreError/unusable(_:)`` with a remedy.
    static func open(_ path: String) throws(StoreError) -> SQLitePool {
        try create(path)
        // SQLite does not wait in all cases: if two processes turn on the write-ahead log of a new file at once, one
        // immediately gets "locked".
        let end = ContinuousClock.now + busyTimeout
        while true {
            if let pool = try openUnlessLocked(path) { return pool }
            guard ContinuousClock.now < end else { throw locked(path) }
            usleep(pauseMicroseconds)
        }
    }

    /// - Returns: Nil if another process has it locked.
    private static func openUnlessLocked(_ path: String) throws(StoreError) -> SQLitePool? {
        do {
            return try SQLitePool(path, busyMilliseconds: Int32(busyTimeout / .milliseconds(1))) { db in
                guard try EmbeddedSchema.migrate(db) else {
                    throw StoreError.unusable(
                        "\(path) was written by a newer Gatehouse: start that one, or give this one another file"
                    )
                }
            }
        } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY {
            return nil
        } catch {
            throw translate(error, path: path)
        }
    }

    private static func locked(_ path: String) -> StoreError {
        .unavailable("\(path) is kept locked by another process")
    }

    private static func create(_ path: String) throws(StoreError) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor < 0 else {
            Glibc.close(descriptor)
            return
        }
        let remedy =
            switch errno {
            case ENOENT: "its directory does not exist: create it"
            case ENOTDIR: "what should be its directory is a file: give another path"
            case EISDIR: "it is a directory: give the path of a file"
            case EACCES, EPERM, EROFS: "it may not be written: give the gateway's user the right to"
            default: String(cString: strerror(errno))
            }
        throw .unusable("\(path) cannot be opened: \(remedy)")
    }

    static func translate(_ error: any Error, path: String) -> StoreError {
        switch error {
        case let error as StoreError: return error
        case let error as SQLiteError: return translate(error, path: path)
        default: return .unavailable("\(path): \(error)")
        }
    }

    private static func translate(_ error: SQLiteError, path: String) -> StoreError {
        let reason = error.message
        switch error.primaryCode {
        case SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_FORMAT:
            return .unusable("\(path) is not a database, or a damaged one (\(reason)): move it away, or restore it")
        case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
            return .unusable(
                "\(path) cannot be written (\(reason)): give the gateway's user the right to, in its directory too"
            )
        case SQLITE_BUSY, SQLITE_LOCKED:
            return locked(path)
        case SQLITE_FULL: return .unavailable("no room on the disk of \(path)")
        case SQLITE_INTERRUPT, SQLITE_ABORT: return .unavailable("\(path): the call was broken off")
        case SQLITE_MISMATCH: return .garbled(reason)
        default: return .unavailable("\(path): \(reason)")
        }
    }
}
