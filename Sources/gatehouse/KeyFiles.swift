import CommandSupport
import Glibc
import Tenants

/// Files that the commands read and write.
enum KeyFiles {
    /// The content of the file given by `option`.
    static func read(_ path: String, option: String) throws(CommandFailure) -> [UInt8] {
        do {
            return try DiskFiles().read(path)
        } catch {
            throw CommandFailure("\(option): \(path): \(error)")
        }
    }

    /// Writes a private key to a new file that only its owner can read from the first moment.
    static func createPrivate(_ path: String, content: String) throws(CommandFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandFailure("cannot create \(path): \(systemError(errno))") }
        defer { close(descriptor) }
        var rest = Array(content.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw CommandFailure("cannot write \(path): \(systemError(errno))") }
            rest = rest.dropFirst(written)
        }
        guard fsync(descriptor) == 0 else { throw CommandFailure("cannot write \(path): \(systemError(errno))") }
    }

    /// Creates `path` as a directory for its owner only, unless it is a directory already.
    static func makeDirectory(_ path: String) throws(CommandFailure) {
        guard mkdir(path, 0o700) != 0 else { return }
        let reason = errno
        if reason == EEXIST, let directory = opendir(path) {
            closedir(directory)
            return
        }
        throw CommandFailure("--out: cannot make the directory \(path): \(systemError(reason))")
    }

    private static func systemError(_ code: CInt) -> String {
        String(cString: strerror(code))
    }
}
