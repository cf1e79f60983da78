import Foundation

/// The real file system.
public struct DiskFiles: FileReading {
    /// Longest file that is read, in bytes; configuration, keys and secrets stay far below it.
    static let limit = 4 << 20

    public init() {}

    public func read(_ path: String) throws(FileReadingError) -> [UInt8] {
        let handle: FileHandle
        do {
            handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch {
            throw Self.reason(error)
        }
        defer { try? handle.close() }
        let content: [UInt8]
        do {
            content = Array(try handle.read(upToCount: Self.limit + 1) ?? Data())
        } catch {
            throw Self.reason(error)
        }
        guard content.count <= Self.limit else { throw .tooLarge }
        return content
    }

    public func list(_ directory: String) throws(FileReadingError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory)
        } catch {
            throw Self.reason(error, kind: "directory")
        }
    }

    private static func reason(_ error: any Error, kind: String = "file") -> FileReadingError {
        guard let error = error as? CocoaError else { return .unreadable("it cannot be read") }
        switch error.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: return .notFound
        case .fileReadNoPermission: return .unreadable("no permission to read it")
        default: return .unreadable("it cannot be read; is it a \(kind)?")
        }
    }
}
