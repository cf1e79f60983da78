import CommandSupport
import Glibc
import Migration
import Tenants

/// The file that `gatehouse init` writes.
struct InitFile {
    /// A dash is standard output.
    let path: String
    let force: Bool

    var shownPath: String { path == "-" ? "tenants.yaml" : path }

    /// Fails early if there is a file already.
    func checkFree() throws(CommandFailure) {
        guard path != "-", !force, access(path, F_OK) == 0 else { return }
        throw CommandFailure("\(path) is there already: --force replaces it, --out FILE writes another")
    }

    /// - Parameter others: Files to be written beside it.
    func write(_ text: String, beside others: [DraftFile]) throws(CommandFailure) {
        if path == "-" {
            Terminal.write(text, to: STDOUT_FILENO)
            for file in others { Terminal.printError("\(file.name) has to stand beside it:\n\(file.content)") }
            return
        }
        let directory = path.contains("/") ? String(path[...(path.lastIndex(of: "/") ?? path.startIndex)]) : ""
        for file in others { try Self.create(directory + file.name, file.content, mode: 0o600, replaces: force) }
        try Self.create(path, text, mode: 0o644, replaces: force)
    }

    /// Writes it under another name first, so that nobody reads half of it.
    private static func create(
        _ path: String,
        _ content: String,
        mode: mode_t,
        replaces: Bool
    ) throws(CommandFailure) {
        let temporary = "\(path).new-\(getpid())"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var rest = Array(content.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw failure(path, removing: temporary) }
            rest = rest.dropFirst(written)
        }
        // A link never takes the place of a file, so that one which came meanwhile stays.
        let isDone = replaces ? rename(temporary, path) == 0 : link(temporary, path) == 0
        guard isDone else { throw failure(path, removing: temporary) }
        if !replaces { unlink(temporary) }
    }

    private static func failure(_ path: String, removing temporary: String? = nil) -> CommandFailure {
        let reason = errno
        if let temporary { unlink(temporary) }
        if reason == EEXIST { return CommandFailure("\(path) is there already: --force replaces it") }
        return CommandFailure("cannot write \(path): \(String(cString: strerror(reason)))")
    }
}
