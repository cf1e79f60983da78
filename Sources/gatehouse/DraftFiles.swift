import Migration
import Synchronization
import Tenants

/// The files of the disk, and those that will be written.
final class DraftFiles: FileReading {
    private let drafted: [DraftFile]
    private let failed = Mutex<[String]>([])

    init(_ drafted: [DraftFile]) {
        self.drafted = drafted
    }

    /// Paths that could not be read.
    var unreadable: [String] { failed.withLock { $0 } }

    func read(_ path: String) throws(FileReadingError) -> [UInt8] {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        if let file = drafted.first(where: { $0.name == name }) { return Array(file.content.utf8) }
        do {
            return try DiskFiles().read(path)
        } catch {
            failed.withLock { $0.append(path) }
            throw error
        }
    }

    func list(_ directory: String) throws(FileReadingError) -> [String] {
        try DiskFiles().list(directory)
    }
}
