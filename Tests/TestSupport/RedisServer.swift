/// A `redis-server` on a free port, with a directory of its own, that can be ended and started again there.
package final class RedisServer {
    package let port: Int
    private let scratch: Scratch
    private let options: [String]
    package private(set) var process: ServerProcess

    /// Runs `body` with a server that is gone afterwards.
    ///
    /// - Parameter options: As in `redis.conf`, like `requirepass secret`, one each.
    package static func run<Result>(
        _ options: [String] = [],
        _ body: (RedisServer) async throws -> Result
    ) async throws -> Result {
        let server = try await RedisServer(options)
        do {
            let result = try await body(server)
            try await server.remove()
            return result
        } catch {
            try await server.remove()
            throw error
        }
    }

    /// One that its owner has to remove.
    package init(_ options: [String] = []) async throws {
        scratch = try Scratch()
        port = try await FreePort.find()
        let lines = ["port \(port)", "bind 127.0.0.1", "dir \(scratch.path)", "save \"\""]
        self.options = lines + options
        process = try await Self.start(self.options, in: scratch)
    }

    /// Every write is on the disk before it is acknowledged.
    package static let durable = ["appendonly yes", "appendfsync always"]

    package func kill() async throws { try await process.kill() }

    /// Starts it again, on the same port and with what it left in its directory.
    package func restart() async throws {
        try await process.kill()
        process = try await Self.start(options, in: scratch)
    }

    package func remove() async throws {
        try await process.kill()
        scratch.remove()
    }

    private static func start(_ options: [String], in scratch: Scratch) async throws -> ServerProcess {
        let file = try scratch.write(options.joined(separator: "\n") + "\n", to: "redis.conf")
        let process = try ServerProcess("/usr/bin/redis-server", [file])
        try await process.line(with: "Ready to accept connections")
        return process
    }
}
