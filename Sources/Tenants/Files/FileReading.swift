/// Reads files that tenants.yaml names; tests have a file system in memory.
public protocol FileReading: Sendable {
    /// The whole content of a file.
    func read(_ path: String) throws(FileReadingError) -> [UInt8]

    /// The names (not paths) of a directory's entries, in any order.
    func list(_ directory: String) throws(FileReadingError) -> [String]
}

/// Why a file could not be read.
public enum FileReadingError: Error, Sendable, Equatable, CustomStringConvertible {
    case notFound
    case tooLarge
    /// The operating system's reason.
    case unreadable(String)

    public var description: String {
        switch self {
        case .notFound: "no such file or directory"
        case .tooLarge: "longer than 4 MiB"
        case .unreadable(let reason): reason
        }
    }
}
