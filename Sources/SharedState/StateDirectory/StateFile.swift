import Glibc

/// Files of the state directory, each written whole or not at all. Calls block: they are for a thread pool.
enum StateFile {
    struct Failure: Error, CustomStringConvertible {
        let step: String
        let code = errno

        var description: String { "\(step): \(String(cString: strerror(code)))" }
    }

    /// - Parameter limit: Reading stops soon after as many bytes.
    /// - Returns: Nil if there is no such file.
    static func read(_ file: String, limit: Int) throws -> [UInt8]? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Failure(step: "open")
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &part, part.count)
            guard count >= 0 else { throw Failure(step: "read") }
            if count == 0 { break }
            bytes += part[..<count]
        }
        return bytes
    }

    /// Writes a temporary file and renames it, so that a file is never incomplete.
    ///
    /// - Parameters:
    ///   - folder: Of the file, in the state directory; both are created if they do not exist.
    ///   - survivesPowerLoss: If not, the file may be damaged when the machine, rather than the process, ends soon after.
    static func write(_ bytes: [UInt8], to file: String, in folder: String, survivesPowerLoss: Bool = true) throws {
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
            guard !survivesPowerLoss || fsync(descriptor) == 0 else { throw Failure(step: "fsync") }
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

    /// One that is gone already is no failure.
    static func remove(_ file: String) throws {
        guard unlink(file) == 0 || errno == ENOENT else { throw Failure(step: "unlink") }
    }

    /// The names in a folder, in any order; none if there is no such folder.
    static func names(in folder: String) throws -> [String] {
        guard let directory = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw Failure(step: "opendir")
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
