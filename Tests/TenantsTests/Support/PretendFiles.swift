import Tenants

/// A disk that holds what a test put there.
struct PretendFiles: FileReading {
    var files: [String: [UInt8]] = [:]

    init(_ files: [String: String] = [:]) {
        self.files = files.mapValues { Array($0.utf8) }
    }

    func read(_ path: String) throws(FileReadingError) -> [UInt8] {
        guard let content = files[path] else { throw .notFound }
        return content
    }

    func list(_ directory: String) throws(FileReadingError) -> [String] {
        let below = files.keys.filter { $0.hasPrefix(directory + "/") }
        guard !below.isEmpty else { throw .notFound }
        return below.map { String($0.dropFirst(directory.count + 1)) }
    }
}
