// Sources may be used from any thread, which Dispatch does not declare on Linux.
@preconcurrency import Dispatch
import Glibc

/// Tells when another process writes to a database, so that nobody has to look again and again (inotify(7)).
final class EmbeddedWatch: Sendable {
    private let source: any DispatchSourceRead

    /// - Parameters:
    ///   - path: The database's, which is open, so that its write-ahead log lies beside it.
    ///   - changed: Called whenever either file has changed, this process' own writes included. Must not take long.
    /// - Returns: Nil if the system has no room for another watch.
    init?(_ path: String, changed: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        for file in [path, path + "-wal"] {
            guard inotify_add_watch(descriptor, file, UInt32(IN_MODIFY)) >= 0 else {
                Glibc.close(descriptor)
                return nil
            }
        }
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
        source.setEventHandler {
            Self.drain(descriptor)
            changed()
        }
        source.setCancelHandler { Glibc.close(descriptor) }
        source.activate()
    }

    func stop() { source.cancel() }

    /// What the events say is not needed: only these files are watched.
    private static func drain(_ descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
}
