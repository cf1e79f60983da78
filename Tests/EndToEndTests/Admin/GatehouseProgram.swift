import Foundation
import NIOCore
import TestSupport

/// The `gatehouse` program, as built beside these tests.
struct GatehouseProgram: Sendable {
    struct Output: Sendable {
        var exit: Int32
        var output: String
        var errors: String
    }

    struct NotBuilt: Error, CustomStringConvertible {
        var description: String
    }

    /// Runs it to its end, and for 60 s at most.
    ///
    /// - Parameters:
    ///   - environment: All of its environment.
    ///   - input: All of its standard input; shorter than a pipe holds.
    static func run(
        _ arguments: [String],
        environment: [String: String] = [:],
        input: String = ""
    ) async throws -> Output {
        let process = Process()
        process.executableURL = try url()
        process.arguments = arguments
        process.environment = environment
        let (standardInput, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = errors
        let ended = Mailbox<Int32>("the end of gatehouse")
        process.terminationHandler = { ended.put($0.terminationStatus) }
        let (said, complained) = (text(of: output), text(of: errors))
        try process.start()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        return Output(
            exit: try await ended.next(within: .seconds(60)),
            output: try await said.next(within: .seconds(60)),
            errors: try await complained.next(within: .seconds(60))
        )
    }

    /// A pipe holds 64 KiB: it is read while the program runs, on a thread that may block.
    private static func text(of pipe: Pipe) -> Mailbox<String> {
        let text = Mailbox<String>("the output of gatehouse")
        Thread.detachNewThread {
            text.put(String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
        }
        return text
    }

    /// Its path.
    static func path() throws -> String { try url().path }

    private static func url() throws -> URL {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let program = tests.deletingLastPathComponent().appendingPathComponent("gatehouse")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw NotBuilt(description: "\(program.path) is missing: build the product gatehouse")
        }
        return program
    }
}
