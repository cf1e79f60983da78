import Logging
import NIOPosix
import Redis
import TestSupport

/// Reads the whole content of a Redis.
enum RedisReader {
    static func withClient<Result>(
        of address: RedisAddress,
        _ body: (RedisClient) async throws -> Result
    ) async throws -> Result {
        let client = try RedisClient(
            RedisConfiguration(servers: .direct([address])),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
        )
        client.start()
        do {
            let result = try await body(client)
            await client.close()
            return result
        } catch {
            await client.close()
            throw error
        }
    }

    /// All keys with their values as texts.
    static func everything(in server: RedisServer) async throws -> [String: [String]] {
        try await withClient(of: server.address) { client in
            guard case .array(let names) = try await client.send(RedisCommand("KEYS", "*")) else {
                throw Malformed("KEYS gave no array")
            }
            var found: [String: [String]] = [:]
            for name in names.flatMap(texts) {
                let value = try await client.send(try await reading(name, client))
                found[name] = texts(value)
            }
            return found
        }
    }

    private static func reading(_ name: String, _ client: RedisClient) async throws -> RedisCommand {
        let type = try await client.send(RedisCommand("TYPE", name))
        switch type {
        case .status("string"): return RedisCommand("GET", name)
        case .status("hash"): return RedisCommand("HGETALL", name)
        case .status("zset"): return RedisCommand("ZRANGE", name, 0, -1)
        case .status("stream"): return RedisCommand("XRANGE", name, "-", "+")
        case .status("none"): return RedisCommand("EXISTS", name)
        default: throw Malformed("a key of another type: \(name), \(type)")
        }
    }

    private static func texts(_ reply: RedisReply) -> [String] {
        switch reply {
        case .string(let bytes): [String(decoding: bytes, as: UTF8.self)]
        case .status(let text): [text]
        case .array(let parts): parts.flatMap(texts)
        case .integer, .null, .error: []
        }
    }
}
