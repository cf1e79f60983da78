import CSQLite
import Synchronization

/// Breaks off the work of one call from another thread, and nothing that its connection does before or after.
final class SQLiteInterrupt: Sendable {
    private struct Target: @unchecked Sendable {
        // SQLite allows `sqlite3_interrupt` on any thread while the connection is open, which it is until `end`.
        let handle: OpaquePointer
    }

    private let target = Mutex<Target?>(nil)

    func begin(_ handle: OpaquePointer) {
        let running = Target(handle: handle)
        target.withLock { $0 = running }
    }

    func end() { target.withLock { $0 = nil } }

    /// What is executed ends with `SQLITE_INTERRUPT`; between two statements it does nothing.
    func interrupt() {
        target.withLock { target in
            if let target { sqlite3_interrupt(target.handle) }
        }
    }
}
