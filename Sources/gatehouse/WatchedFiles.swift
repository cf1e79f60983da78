import Gateway
import Synchronization
import Tenants
import Upstream

/// The real file system, recording every file read through it: those that make up a configuration.
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

    func list(_ directory: String) throws(FileReadingError) -> [String] { try disk.list(directory) }
}
