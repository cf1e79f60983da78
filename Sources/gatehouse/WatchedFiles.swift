import Synchronization
import Tenants

/// The real file system, with a note of every file that is read through it: what a configuration is made of.
final class WatchedFiles: FileReading {
    private let disk = DiskFiles()
    private let noted = Mutex<Set<String>>([])

    /// The paths that were read.
    var paths: [String] { noted.withLock { $0.sorted() } }

    func read(_ path: String) throws(FileReadingError) -> [UInt8] {
        _ = noted.withLock { $0.insert(path) }
        return try disk.read(path)
    }

    func list(_ directory: String) throws(FileReadingError) -> [String] { try disk.list(directory) }
}
