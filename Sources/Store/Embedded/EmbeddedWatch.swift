// Sources may be used from any thread, which Dispatch does not declare on Linux.
@preconcurrency import Dispatch
import Glibc

/// Reports when another process writes to a database, which avoids polling (inotify(7)).
final class EmbeddedWatch: Sendable {
    private let source: any DispatchSourceRead

    /// - Parameters:
    ///   - path: The path of an open database, so that its write-ahead log exists next to it.
    ///   - changed: Called whenever either file has changed, including this process's own writes. Must be quick.
    /// - Returns: Nil if the system allows no further watch.
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

    /// The contents of the events are not needed: only these files are watched.
    private static func drain(_ descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
}
