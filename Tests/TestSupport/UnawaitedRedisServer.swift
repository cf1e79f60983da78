import Foundation
import Glibc
import Synchronization

/// A `redis-server` or `redis-sentinel` on a free port with a directory of its own. Unlike a ``RedisServer`` it is
/// returned at once: clients retry until it is up.
package final class UnawaitedRedisServer: Sendable {
    package let port: Int
    private let scratch: Scratch
    private let program: String
    private let file: String
    private let process: Mutex<Process>

    /// - Parameter options: Lines of its configuration.
    package init(_ options: [String] = [], program: String = "redis-server") async throws {
        port = try await FreePort.find()
        scratch = try Scratch()
        self.program = program
        let lines = ["port \(port)", "bind 127.0.0.1", "dir \(scratch.path)"] + options
        file = try scratch.write(lines.joined(separator: "\n"), to: "redis.conf")
        process = Mutex(try Self.start(program, file))
    }

    private var identifier: pid_t { process.withLock { $0.processIdentifier } }

    /// Stops it where it is; its sockets stay open.
    package func pause() { Glibc.kill(identifier, SIGSTOP) }

    package func resume() { Glibc.kill(identifier, SIGCONT) }

    /// Kills it (SIGKILL).
    package func kill() {
        process.withLock { process in
            guard process.isRunning else { return }
            Glibc.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    /// Starts it again with what it left in its directory.
    package func restart() throws {
        kill()
        let started = try Self.start(program, file)
        process.withLock { $0 = started }
    }

    package func remove() {
        kill()
        scratch.remove()
    }

    private static func start(_ program: String, _ file: String) throws -> sending Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/\(program)")
        process.arguments = [file]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.start()
        return process
    }
}
