import Redis

/// A `redis-server` on a free port, with a directory of its own, that can be ended and started again there.
final class RedisServer {
    let port: Int
    /// Where it listens for TLS, if it was given certificates.
    let tlsPort: Int?
    private let scratch: Scratch
    private let options: [String]
    private(set) var process: ServerProcess

    /// Runs `body` with a server that is gone afterwards.
    ///
    /// - Parameter options: As in `redis.conf`, like `requirepass secret`, one each.
    static func run<Result>(
        _ options: [String] = [],
        certificates: TestCertificates? = nil,
        _ body: (RedisServer) async throws -> Result
    ) async throws -> Result {
        let server = try await RedisServer(options, certificates: certificates)
        do {
            let result = try await body(server)
            try await server.remove()
            return result
        } catch {
            try await server.remove()
            throw error
        }
    }

    init(
        _ options: [String] = [],
        certificates: TestCertificates? = nil
    ) async throws {
        scratch = try Scratch()
        port = try await FreePort.find()
        var lines = ["port \(port)", "bind 127.0.0.1", "dir \(scratch.path)", "save \"\"", "enable-debug-command yes"]
        if let certificates {
            let tlsPort = try await FreePort.find()
            self.tlsPort = tlsPort
            lines += ["tls-port \(tlsPort)", "tls-ca-cert-file \(certificates.file("authority.pem"))"]
            lines += ["tls-cert-file \(certificates.file("server.pem"))"]
            lines += ["tls-key-file \(certificates.file("server.key"))"]
        } else {
            tlsPort = nil
        }
        self.options = lines + options
        process = try await Self.start(self.options, in: scratch)
    }

    /// `port` in the clear.
    var address: RedisAddress { RedisAddress(host: "127.0.0.1", port: port) }

    /// Starts it again, on the same port and with what it left in its directory.
    func restart() async throws {
        try await process.kill()
        process = try await Self.start(options, in: scratch)
    }

    func remove() async throws {
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
