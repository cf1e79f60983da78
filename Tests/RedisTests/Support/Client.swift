import Logging
import NIOCore
import NIOPosix
import Redis
import TestSupport

/// A client with the stream of its states, closed when `run` returns.
struct Client: Sendable {
    let redis: RedisClient
    let states: Mailbox<RedisClientState>

    static func run(
        _ configuration: RedisConfiguration,
        logger: Logger = .silent,
        _ body: (Client) async throws -> Void
    ) async throws {
        let states = Mailbox<RedisClientState>("a state of the client")
        let redis = try RedisClient(
            configuration,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        ) { states.put($0) }
        redis.start()
        try await attempt {
            try await body(Client(redis: redis, states: states))
        } finally: {
            await redis.close()
        }
    }

    /// Waits until it is down, then until it is up again, and returns the number of the new connection.
    @discardableResult
    func backUp() async throws -> UInt64 {
        var wasDown = false
        while true {
            switch try await states.next() {
            case .down: wasDown = true
            case .up(let number): if wasDown { return number }
            }
        }
    }

    func down() async throws -> String {
        while true {
            if case .down(let reason) = try await states.next() { return reason }
        }
    }

    func up() async throws {
        while true {
            if case .up = try await states.next() { return }
        }
    }

    func send(_ name: String, _ arguments: any RedisArgument..., timeout: Duration? = nil) async throws -> RedisReply {
        var command = RedisCommand(name)
        for argument in arguments { command.append(argument) }
        return try await redis.send(command, timeout: timeout)
    }

    /// The error of a command without a reply.
    func failure(of command: RedisCommand, timeout: Duration? = nil) async -> RedisError? {
        do {
            _ = try await redis.send(command, timeout: timeout)
            return nil
        } catch {
            return error
        }
    }
}

extension RedisConfiguration {
    /// With short waits between attempts, so that tests are fast.
    static func direct(_ address: RedisAddress) -> RedisConfiguration {
        var configuration = RedisConfiguration(servers: .direct([address]))
        configuration.commandTimeout = .seconds(10)
        configuration.connectTimeout = .seconds(10)
        configuration.retry.cap = .milliseconds(200)
        configuration.retry.refused = .milliseconds(400)
        return configuration
    }
}

extension RedisPassword {
    init(_ text: String) {
        self.init(Array(text.utf8))
    }
}

extension Logger {
    static let silent = Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }

    /// Records of level `info` and above go to the mailbox: level, message and reason.
    static func heard(by lines: Mailbox<String>) -> Logger {
        Logger(label: "heard") { _ in HearingLogHandler(lines: lines) }
    }
}

private struct HearingLogHandler: LogHandler {
    let lines: Mailbox<String>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.put("\(event.level) \(event.message) \(event.metadata?["redis.reason"]?.description ?? "")")
    }
}
