import Glibc
import Time

/// File attributes that change when a process writes to the database's two files.
struct EmbeddedStamp: Equatable, Sendable {
    private struct File: Equatable {
        var inode: UInt64
        var size: Int64
        /// Unix nanoseconds.
        var written: Int64
        var changed: Int64

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            inode = UInt64(status.st_ino)
            size = Int64(status.st_size)
            written = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
            changed = Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec)
        }
    }

    /// File times are coarse: another write may follow within this time without changing them. Nanoseconds.
    private static let coarseness: Int64 = 1_000_000_000

    private let files: [File?]

    /// - Parameter path: The database's path. Its write-ahead log is next to it.
    init(_ path: String) {
        files = [File(path), File(path + "-wal")]
    }

    /// Whether nothing was written since the stamp was taken.
    func isCurrent(_ path: String, now: UnixTime) -> Bool {
        let latest = files.compactMap { $0.map { max($0.written, $0.changed) } }.max() ?? .max
        let time = Int64(exactly: (now.seconds * 1_000_000_000).rounded()) ?? 0
        let age = time.subtractingReportingOverflow(latest)
        // If the clock was set back, the age proves nothing.
        guard !age.overflow, age.partialValue > Self.coarseness else { return false }
        return self == EmbeddedStamp(path)
    }
}
