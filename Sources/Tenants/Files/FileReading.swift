/// Reads files that tenants.yaml names; tests have a file system in memory.
public protocol FileReading: Sendable {
    /// The whole content of a file, of 4 MiB at most.
    func read(_ path: String) throws(FileReadingError) -> [UInt8]

    /// The whole content of a file.
    ///
    /// - Parameter limit: In bytes; a longer one is not read.
    func read(_ path: String, limit: Int) throws(FileReadingError) -> [UInt8]

    /// The names (not paths) of a directory's entries, in any order.
    func list(_ directory: String) throws(FileReadingError) -> [String]

    /// As `list`, where a pattern of `include` is looked for: a file that comes, or goes, makes another configuration.
    func listIncluded(_ directory: String) throws(FileReadingError) -> [String]
}

extension FileReading {
    public func read(_ path: String, limit: Int) throws(FileReadingError) -> [UInt8] {
        let content = try read(path)
        guard content.count <= limit else { throw .tooLarge(limit: limit) }
        return content
    }

    public func listIncluded(_ directory: String) throws(FileReadingError) -> [String] { try list(directory) }
}

/// Why a file could not be read.
public enum FileReadingError: Error, Sendable, Equatable, CustomStringConvertible {
    case notFound
    /// - limit: In bytes.
    case tooLarge(limit: Int)
    /// The operating system's reason.
    case unreadable(String)

    public var description: String {
        switch self {
        case .notFound: "no such file or directory"
        case .tooLarge(let limit) where limit >= 1 << 20: "longer than \(limit >> 20) MiB"
        case .tooLarge(let limit): "longer than \(limit) bytes"
        case .unreadable(let reason): reason
        }
    }
}
