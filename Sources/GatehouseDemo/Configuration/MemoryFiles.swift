import Tenants

/// A file system with just these files.
struct MemoryFiles: FileReading {
    let content: [String: [UInt8]]

    func read(_ path: String) throws(FileReadingError) -> [UInt8] {
        guard let content = content[path] else { throw .notFound }
        return content
    }

    func list(_ directory: String) throws(FileReadingError) -> [String] {
        let prefix = directory.hasSuffix("/") ? directory : directory + "/"
        let names = content.keys.compactMap { path -> String? in
            guard path.hasPrefix(prefix) else { return nil }
            return path.dropFirst(prefix.count).split(separator: "/").first.map(String.init)
        }
        guard !names.isEmpty else { throw .notFound }
        return Array(Set(names))
    }
}
