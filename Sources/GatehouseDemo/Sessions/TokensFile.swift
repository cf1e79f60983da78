import CommandSupport
import Glibc

/// The file with the tokens of a demo run, for `source`: only its owner may read it, and it goes with the run.
struct TokensFile: Sendable {
    static let defaultPath = "demo.env"
    /// The first line, by which a file of an earlier run is known.
    static let mark = "# Written by gatehouse-demo: the tokens of one run, for shells."

    let path: String

    /// Replaces the file as a whole, so that a shell never reads half of it.
    ///
    /// - Throws: If something else is there.
    func write(_ variables: [(name: String, value: String)]) throws(CommandFailure) {
        try checkOwn()
        let new = path + ".new"
        unlink(new)
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("it cannot be written") }
        let lines = variables.map { "\($0.name)=\(ShellText.quoted($0.value))\n" }
        Terminal.write(Self.mark + "\n" + lines.joined(), to: descriptor)
        close(descriptor)
        guard rename(new, path) == 0 else {
            let failure = failure("it cannot be replaced")
            unlink(new)
            throw failure
        }
    }

    /// Removes the file, unless something else has taken its place.
    func remove() {
        guard (try? checkOwn()) != nil else { return }
        unlink(path)
    }

    private func checkOwn() throws(CommandFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return }
            throw failure("it cannot be read")
        }
        defer { close(descriptor) }
        var start = [UInt8](repeating: 0, count: Self.mark.utf8.count)
        let count = read(descriptor, &start, start.count)
        guard count == start.count, start.elementsEqual(Self.mark.utf8) else {
            throw CommandFailure("\(path) is no file of an earlier demo: remove it, or give --tokens-file another name")
        }
    }

    private func failure(_ what: String) -> CommandFailure {
        CommandFailure("\(path): \(what): \(String(cString: strerror(errno))); give --tokens-file another name")
    }
}
