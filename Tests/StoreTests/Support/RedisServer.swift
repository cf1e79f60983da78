import Foundation
import Glibc
import NIOCore
import NIOPosix
import Redis
import Synchronization

/// A `redis-server` or `redis-sentinel` on a free port with a directory of its own. It is there when a client, which
/// tries until it is, is connected.
final class RedisServer: Sendable {
    let port: Int
    let directory: URL
    private let program: String
    private let file: URL
    private let process: Mutex<Process>

    /// - Parameter options: Lines of its configuration.
    init(_ options: [String] = [], program: String = "redis-server") throws {
        port = Self.freePort()
        self.program = program
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        file = directory.appendingPathComponent("redis.conf")
        let lines = ["port \(port)", "bind 127.0.0.1", "dir \(directory.path)"] + options
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        process = Mutex(try Self.start(program, file))
    }

    var address: RedisAddress { RedisAddress(host: "127.0.0.1", port: port) }

    private var identifier: pid_t { process.withLock { $0.processIdentifier } }

    /// Stops it where it is; its sockets stay open.
    func pause() { Glibc.kill(identifier, SIGSTOP) }

    func resume() { Glibc.kill(identifier, SIGCONT) }

    /// Ends it without a word.
    func kill() {
        process.withLock { process in
            guard process.isRunning else { return }
            Glibc.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    /// Starts it again with what it left in its directory.
    func restart() throws {
        kill()
        let started = try Self.start(program, file)
        process.withLock { $0 = started }
    }

    func remove() {
        kill()
        try? FileManager.default.removeItem(at: directory)
    }

    private static func start(_ program: String, _ file: URL) throws -> sending Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/\(program)")
        process.arguments = [file.path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Each once, and below those that connections are given: one that any connection of the many tests beside this could
    /// take meanwhile would lead two tests to one server.
    private static let ports = Mutex(Int.random(in: 21_000..<29_000))

    private static func freePort() -> Int {
        while true {
            let port = ports.withLock { last in
                last = last < 30_000 ? last + 1 : 21_000
                return last
            }
            let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            guard let channel = try? bootstrap.bind(host: "127.0.0.1", port: port).wait() else { continue }
            try? channel.close().wait()
            return port
        }
    }
}
