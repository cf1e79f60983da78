import Glibc

/// Standard input, output and error as bytes.
package enum Terminal {
    /// Writes `line` and a newline to standard output, unbuffered, so that a pipe's reader gets it at once.
    package static func print(_ line: String) {
        write(line + "\n", to: STDOUT_FILENO)
    }

    /// Writes `line` and a newline to standard error.
    package static func printError(_ line: String) {
        write(line + "\n", to: STDERR_FILENO)
    }

    package static func write(_ text: String, to descriptor: CInt) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            // The reader is gone.
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }

    /// All of standard input, or nil if it is longer than `limit`.
    package static func readInput(upTo limit: Int) -> [UInt8]? {
        var input: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = read(STDIN_FILENO, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return input }
            input += chunk[..<count]
            guard input.count <= limit else { return nil }
        }
    }

    /// Whether somebody types the standard input.
    package static var isTyped: Bool { isatty(STDIN_FILENO) == 1 }

    /// The next line of standard input without its end, or nil after the last one.
    ///
    /// - Parameter limit: In bytes; what is longer is cut off.
    package static func readLine(upTo limit: Int = 4096) -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            if line.count < limit, byte != UInt8(ascii: "\r") { line.append(byte) }
        }
    }
}
