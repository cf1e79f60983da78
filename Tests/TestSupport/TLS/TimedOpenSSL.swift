import Foundation

/// The `openssl` command, bounded in time: another hand on the other end of TLS than the library's own.
package enum TimedOpenSSL {
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    /// - Parameter input: What the command reads; its input ends after it.
    /// - Returns: What it wrote to both outputs, whatever its exit status.
    package static func output(_ arguments: [String], input: String = "") throws -> String {
        let (text, _) = try run(arguments, input: input)
        return text
    }

    /// - Throws: If the command fails.
    package static func succeed(_ arguments: [String]) throws {
        let (text, status) = try run(arguments, input: "")
        guard status == 0 else { throw Failure(description: "openssl \(arguments): \(text)") }
    }

    private static func run(_ arguments: [String], input: String) throws -> (text: String, status: Int32) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["timeout", "20", "openssl"] + arguments
        let (to, from) = (Pipe(), Pipe())
        process.standardInput = to
        process.standardOutput = from
        process.standardError = from
        try process.start()
        // A program that has ended has reported why.
        try? to.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try to.fileHandleForWriting.close()
        let data = try from.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (String(decoding: data, as: UTF8.self), process.terminationStatus)
    }
}
