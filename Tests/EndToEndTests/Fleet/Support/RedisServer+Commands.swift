import Redis
import TestSupport

extension RedisServer {
    var address: RedisAddress { RedisAddress(host: "127.0.0.1", port: port) }

    /// As `gateway.store` names it.
    var url: String { "redis://127.0.0.1:\(port)/0" }

    /// One command on a connection of the test's own.
    @discardableResult
    func send(_ command: RedisCommand) async throws -> RedisReply {
        try await RedisReader.withClient(of: address) { try await $0.send(command) }
    }
}
