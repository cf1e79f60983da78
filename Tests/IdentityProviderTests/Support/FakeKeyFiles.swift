import Synchronization
import Tenants

/// Files in memory.
final class FakeKeyFiles: FileReading {
    private let files: Mutex<[String: String]>

    init(_ files: [String: String] = [:]) {
        self.files = Mutex(files)
    }

    subscript(path: String) -> String? {
        get { files.withLock { $0[path] } }
        set { files.withLock { $0[path] = newValue } }
    }

    func read(_ path: String) throws(FileReadingError) -> [UInt8] {
        guard let content = self[path] else { throw .notFound }
        return Array(content.utf8)
    }

    func list(_ directory: String) throws(FileReadingError) -> [String] {
        let below = files.withLock { Array($0.keys) }.filter { $0.hasPrefix(directory + "/") }
        guard !below.isEmpty else { throw .notFound }
        return below.map { String($0.dropFirst(directory.count + 1)) }
    }
}

/// Fails every read.
struct BrokenKeyFiles: FileReading {
    static let fault = FileReadingError.unreadable("Input/output error")

    func read(_ path: String) throws(FileReadingError) -> [UInt8] { throw Self.fault }

    func list(_ directory: String) throws(FileReadingError) -> [String] { throw Self.fault }
}
