import Redis
import TestSupport

extension RedisServer {
    var address: RedisAddress { RedisAddress(host: "127.0.0.1", port: port) }

    /// The value for `gateway.store`.
    var url: String { "redis://127.0.0.1:\(port)/0" }

    /// Sends one command on a new connection.
    @discardableResult
    func send(_ command: RedisCommand) async throws -> RedisReply {
        try await RedisReader.withClient(of: address) { try await $0.send(command) }
    }
}
