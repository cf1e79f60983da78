import Gateway
import Synchronization
import Tenants
import Upstream

/// The real file system, recording every file that is read through it, and every directory that `include` is looked up
/// in: those make up a configuration.
final class WatchedFiles: FileReading {
    private let disk = DiskFiles()
    private let noted = Mutex<ConfigurationWatch.Stamps>([:])

    /// The files that were read, each as it was before its first read.
    var stamps: ConfigurationWatch.Stamps { noted.withLock { $0 } }

    /// Call it before the file is read.
    func note(_ path: String) {
        let stamp = FileStamp(path)
        noted.withLock { noted in
            if noted[path] == nil { noted[path] = .some(stamp) }
        }
    }

    func read(_ path: String) throws(FileReadingError) -> [UInt8] {
        note(path)
        return try disk.read(path)
    }

    func read(_ path: String, limit: Int) throws(FileReadingError) -> [UInt8] {
        note(path)
        return try disk.read(path, limit: limit)
    }

    /// A directory's stamp changes with the names in it.
    func listIncluded(_ directory: String) throws(FileReadingError) -> [String] {
        note(directory)
        return try disk.list(directory)
    }

    func list(_ directory: String) throws(FileReadingError) -> [String] { try disk.list(directory) }
}
