import Foundation
import NIOCore
import TestSupport

/// curl, for tests that need an independent client.
struct Curl: Sendable {
    struct Output: Sendable {
        var exit: Int32
        var text: String
    }

    /// Runs curl to its end, silently, without a configuration file, and for 30 s at most.
    static func run(_ arguments: [String]) async throws -> Output {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["curl", "--disable", "--silent", "--show-error", "--max-time", "30", "--noproxy", "*"] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        let ended = Mailbox<Int32>("the end of curl")
        process.terminationHandler = { ended.put($0.terminationStatus) }
        let text = Mailbox<String>("the output of curl")
        // A pipe holds 64 KiB: it is read while curl runs, on a thread that may block.
        Thread.detachNewThread {
            text.put(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
        }
        try process.start()
        return Output(exit: try await ended.next(within: .seconds(40)), text: try await text.next(within: .seconds(40)))
    }
}
