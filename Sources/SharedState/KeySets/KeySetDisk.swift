import Glibc
import Logging
import NIOPosix
import Verification

/// The last set of each source in the state directory, so that an instance can start without its store and the
/// provider.
struct KeySetDisk: Sendable {
    private struct Failure: Error, CustomStringConvertible {
        let step: String
        let code = errno

        var description: String { "\(step): \(String(cString: strerror(code)))" }
    }

    private let folder: String
    private let logger: Logger

    /// - Parameter stateDirectory: Created if it does not exist.
    init(stateDirectory: String, logger: Logger) {
        folder = stateDirectory + "/key-sets"
        self.logger = logger
    }

    /// - Returns: Nil if there is none, or an unusable one, which is logged.
    func record(for location: String) async -> KeySetRecord? {
        let file = self.file(for: location)
        do {
            guard let bytes = try await NIOThreadPool.singleton.runIfActive({ try Self.read(file) }) else { return nil }
            if let record = KeySetRecord(json: bytes), record.location == location { return record }
            logger.error("key set on disk is not one and is ignored", metadata: ["file": "\(file)"])
        } catch {
            logger.error("key set on disk cannot be read", metadata: ["file": "\(file)", "error": "\(error)"])
        }
        return nil
    }

    /// Failures are logged.
    func write(_ record: KeySetRecord) async {
        let file = self.file(for: record.location)
        let folder = self.folder
        do {
            try await NIOThreadPool.singleton.runIfActive { try Self.write(record.json, to: file, in: folder) }
        } catch {
            logger.warning("key set cannot be written to disk", metadata: ["file": "\(file)", "error": "\(error)"])
        }
    }

    /// A digest, since an address may contain secrets, or characters that a file name cannot have.
    func file(for location: String) -> String {
        "\(folder)/\(Hexadecimal.text(SHA256.digest(Array(location.utf8)))).json"
    }

    private static func read(_ file: String) throws -> [UInt8]? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Failure(step: "open")
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count <= KeySetRecord.maximumLength {
            let count = Glibc.read(descriptor, &part, part.count)
            guard count >= 0 else { throw Failure(step: "read") }
            if count == 0 { break }
            bytes += part[..<count]
        }
        return bytes
    }

    /// Writes a temporary file and renames it, so that a file is never incomplete.
    private static func write(_ bytes: [UInt8], to file: String, in folder: String) throws {
        let parent = String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)])
        for directory in [parent, folder] where !directory.isEmpty {
            guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw Failure(step: "mkdir \(directory)") }
        }
        let temporary = "\(file).\(getpid()).\(UInt32.random(in: .min ... .max))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(step: "open") }
        do {
            defer { close(descriptor) }
            try write(bytes, to: descriptor)
            guard fsync(descriptor) == 0 else { throw Failure(step: "fsync") }
            guard rename(temporary, file) == 0 else { throw Failure(step: "rename") }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Failure(step: "write") }
            rest = rest.dropFirst(count)
        }
    }
}
