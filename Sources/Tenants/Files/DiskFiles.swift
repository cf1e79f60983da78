import FoundationEssentials
import Glibc

/// The real file system.
public struct DiskFiles: FileReading {
    /// Maximum size of a file, in bytes; configuration, keys and secrets are far smaller.
    static let limit = 4 << 20

    public init() {}

    public func read(_ path: String) throws(FileReadingError) -> [UInt8] { try read(path, limit: Self.limit) }

    public func read(_ path: String, limit: Int) throws(FileReadingError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.reason(errno) }
        defer { close(descriptor) }
        var content: [UInt8] = []
        while content.count <= limit {
            let part = try Self.readPart(descriptor)
            guard !part.isEmpty else { return content }
            content += part
        }
        throw .tooLarge(limit: limit)
    }

    private static func readPart(_ descriptor: CInt) throws(FileReadingError) -> [UInt8] {
        while true {
            var count = 0
            var error: CInt = 0
            let part = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, initialized in
                count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                error = errno
                initialized = max(0, count)
            }
            if count >= 0 { return part }
            guard error == EINTR else { throw reason(error) }
        }
    }

    public func list(_ directory: String) throws(FileReadingError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory)
        } catch {
            throw Self.reason(error)
        }
    }

    private static func reason(_ error: CInt) -> FileReadingError {
        switch error {
        case ENOENT: .notFound
        case EACCES, EPERM: .unreadable("no permission to read it")
        default: .unreadable("it cannot be read; is it a file?")
        }
    }

    private static func reason(_ error: any Error) -> FileReadingError {
        guard let error = error as? CocoaError else { return .unreadable("it cannot be read") }
        switch error.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: return .notFound
        case .fileReadNoPermission: return .unreadable("no permission to read it")
        default: return .unreadable("it cannot be read; is it a directory?")
        }
    }
}
