import Dispatch
import Foundation
import Glibc

/// A running server program, killed after two minutes in any case.
package final class ServerProcess: Sendable {
    /// What it says, line by line; read all the time, for a full pipe would stop it.
    package let lines: Mailbox<String>
    private let process = Process()
    private let ended: Mailbox<Int32>

    /// - Parameter environment: All of its environment; nil: that of the tests.
    package init(_ path: String, _ arguments: [String], environment: [String: String]? = nil) throws {
        lines = Mailbox("a line of \(path)")
        ended = Mailbox("the end of \(path)")
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        if let environment { process.environment = environment }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        let ended = ended
        process.terminationHandler = { ended.put($0.terminationStatus) }
        try process.start()
        let identifier = process.processIdentifier
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(120)) { [weak process] in
            if let process, process.isRunning { Glibc.kill(identifier, SIGKILL) }
        }
        Self.read(output.fileHandleForReading, into: lines)
    }

    package var isRunning: Bool { process.isRunning }

    /// Reads on until a line has `text`. Throws with its output if the program ends first.
    package func line(with text: String) async throws {
        var said: [String] = []
        do {
            while true {
                let line = try await lines.next()
                if line.contains(text) { return }
                said.append(line)
            }
        } catch is EndOfStream {
            let last = said.suffix(5).joined(separator: "\n")
            throw NothingCame(description: "it ended without a line with '\(text)'; its last ones:\n\(last)")
        }
    }

    /// Asks it to end.
    package func terminate() { process.terminate() }

    package func hangUp() { Glibc.kill(process.processIdentifier, SIGHUP) }

    /// Stops it where it is, as a machine that hangs does: its sockets stay open.
    package func pause() { Glibc.kill(process.processIdentifier, SIGSTOP) }

    package func resume() { Glibc.kill(process.processIdentifier, SIGCONT) }

    /// Kills it (SIGKILL) and waits for its end.
    package func kill() async throws {
        guard process.isRunning else { return }
        Glibc.kill(process.processIdentifier, SIGKILL)
        _ = try await ended.next()
    }

    /// Waits until it ends by itself.
    package func end() async throws -> Int32 { try await ended.next() }

    private static func read(_ handle: FileHandle, into lines: Mailbox<String>) {
        Thread.detachNewThread {
            var unfinished: [UInt8] = []
            while true {
                let data = handle.availableData
                if data.isEmpty { break }
                unfinished += data
                while let end = unfinished.firstIndex(of: UInt8(ascii: "\n")) {
                    lines.put(String(decoding: unfinished[..<end], as: UTF8.self))
                    unfinished.removeSubrange(...end)
                }
            }
            lines.finish(EndOfStream())
            // Foundation may keep the handle for long, and a process has only so many descriptors.
            try? handle.close()
        }
    }
}
