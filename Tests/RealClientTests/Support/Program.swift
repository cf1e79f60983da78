import Dispatch
import Foundation
import Glibc
import TestSupport

/// An installed program. It is ended after a minute, unless it is given longer, so that no test waits for its output.
struct Program: Sendable {
    struct Output: Sendable {
        var status: Int32
        /// Standard output.
        var bytes: [UInt8]
        /// Standard error.
        var complaints: String

        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String

        init(_ description: String) {
            self.description = description
        }
    }

    static let curl = Program(path: "/usr/bin/curl", package: "curl")
    static let nghttp = Program(path: "/usr/bin/nghttp", package: "nghttp2-client")
    static let h2load = Program(path: "/usr/bin/h2load", package: "nghttp2-client")
    static let openssl = Program(path: "/usr/bin/openssl", package: "openssl")
    static let promtool = Program(path: "/usr/bin/promtool", package: "prometheus")
    /// Debian's own, which finds Debian's modules.
    static let python = Program(path: "/usr/bin/python3", package: "python3")

    /// The `gatehouse` program, as built beside these tests.
    static func gatehouse() throws -> Program { try besideTests("gatehouse") }

    /// A product of this package, as built beside these tests.
    static func besideTests(_ product: String) throws -> Program {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let path = tests.deletingLastPathComponent().appendingPathComponent(product).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure("\(path) is missing: build the product \(product)")
        }
        return Program(path: path, package: product)
    }

    let path: String
    /// What to install where it is missing.
    let package: String

    /// Runs it to its end.
    ///
    /// - Parameter input: All of its standard input.
    func run(_ arguments: [String], input: String = "") async throws -> Output {
        let running = try start(arguments)
        try running.write(input)
        try running.endInput()
        return try await running.output()
    }

    /// Runs it to its end and gives its standard output.
    ///
    /// - Throws: ``Failure`` with its standard error, if it fails.
    @discardableResult
    func succeed(_ arguments: [String], input: String = "") async throws -> String {
        let output = try await run(arguments, input: input)
        guard output.status == 0 else {
            throw Failure("\(path) \(arguments): \(output.status) \(output.complaints) \(output.text.suffix(2000))")
        }
        return output.text
    }

    /// - Parameter seconds: After which it is ended in any case.
    func start(_ arguments: [String], seconds: Int = 60) throws -> RunningProgram {
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure("\(path) is missing: install the Debian package \(package)")
        }
        return try RunningProgram(path, arguments, seconds: seconds)
    }

    /// The path of one of the Python programs beside these tests.
    static func script(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Scripts/\(name).py").path
    }
}

/// A running program, with its input and output.
final class RunningProgram: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let lines: AsyncStream<[UInt8]>
    private let complaints: AsyncStream<[UInt8]>
    private let ended: AsyncStream<Int32>
    private let what: String

    fileprivate init(_ path: String, _ arguments: [String], seconds: Int) throws {
        what = "\(path) \(arguments.prefix(2).joined(separator: " "))"
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        let (ended, end) = AsyncStream.makeStream(of: Int32.self)
        self.ended = ended
        process.terminationHandler = { process in
            end.yield(process.terminationStatus)
            end.finish()
        }
        try process.start()
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { [weak process] in
            // The waiting task retains it; retained here, its pipes would stay open for as long.
            if let process { Self.kill(process) }
        }
        lines = Self.lines(of: output.fileHandleForReading)
        complaints = Self.lines(of: errors.fileHandleForReading)
    }

    /// A pipe holds 64 KiB: it is read while the program runs, on a thread that may block.
    private static func lines(of handle: FileHandle) -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        Thread.detachNewThread {
            var unfinished: [UInt8] = []
            while true {
                let data = handle.availableData
                if data.isEmpty { break }
                unfinished += data
                var start = 0
                while let end = unfinished[start...].firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(Array(unfinished[start...end]))
                    start = end + 1
                }
                unfinished.removeSubrange(..<start)
            }
            if !unfinished.isEmpty { continuation.yield(unfinished) }
            continuation.finish()
            // Foundation may keep the handle for long, and a process has only so many descriptors.
            try? handle.close()
        }
        return stream
    }

    func write(_ text: String) throws {
        guard !text.isEmpty else { return }
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    func endInput() throws {
        try input.fileHandleForWriting.close()
    }

    /// The next line of its standard output, without its end.
    ///
    /// - Throws: ``Program/Failure`` with its standard error, if there is none.
    func line() async throws -> String {
        for await line in lines { return String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines) }
        var complaint = ""
        for await line in complaints { complaint += String(decoding: line, as: UTF8.self) }
        throw Program.Failure("\(what) said no more: \(complaint)")
    }

    /// Reads on until a line has `text`.
    @discardableResult
    func line(with text: String) async throws -> String {
        while true {
            let line = try await line()
            if line.contains(text) { return line }
        }
    }

    /// Waits for its end and gives what was not read yet.
    func output() async throws -> Program.Output {
        async let said = Self.all(lines)
        async let complained = Self.all(complaints)
        var output = Program.Output(
            status: -1,
            bytes: await said,
            complaints: String(decoding: await complained, as: UTF8.self)
        )
        for await status in ended { output.status = status }
        try? endInput()
        return output
    }

    /// Ends it, if it has not ended.
    func stop() async {
        Self.kill(process)
        for await _ in ended {}
        try? endInput()
    }

    /// Other signals are blocked in it, as on the thread that has started it.
    private static func kill(_ process: Process) {
        if process.isRunning { _ = Glibc.kill(process.processIdentifier, SIGKILL) }
    }

    private static func all(_ lines: AsyncStream<[UInt8]>) async -> [UInt8] {
        var bytes: [UInt8] = []
        for await line in lines { bytes += line }
        return bytes
    }
}
