import Logging
import NIOPosix
import Redis
import SQLite
import TestSupport
import Testing

@testable import Store

/// A second client, to read and write without the store.
func withRedis(_ server: UnawaitedRedisServer?, _ commands: [RedisCommand]) async throws -> [RedisReply] {
    let address = try #require(server).address
    let client = try RedisClient(
        RedisConfiguration(servers: .direct([address])),
        eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
    client.start()
    do {
        let replies = try await client.pipeline(commands)
        await client.close()
        return replies
    } catch {
        await client.close()
        throw error
    }
}

extension StoreWorld {
    /// A store of another process.
    func connection() throws -> SQLiteConnection {
        try SQLiteConnection(file.path, access: .readWrite, busyMilliseconds: 2000)
    }

    func write(_ sql: String) throws { try connection().script(sql) }

    /// Makes the record unreadable.
    func spoil(_ record: RevocationRecord) async throws {
        if factory == .redis {
            let key = "gatehouse:{\(record.tenant)}:revocations"
            _ = try await withRedis(server, [RedisCommand("HSET", key, record.digest.text, "nonsense")])
        } else {
            try write(
                """
                UPDATE revocation SET note = 'nonsense' WHERE tenant = '\(record.tenant)'
                    AND digest_high = \(Int64(bitPattern: record.digest.high))
                """
            )
        }
    }

    /// Adds an unreadable change to the history.
    func addNonsense() async throws {
        if factory == .redis {
            let change = RedisCommand("XADD", "gatehouse:changes", "*", "a", "b")
            _ = try await withRedis(server, [RedisCommand("INCR", "gatehouse:changes:count"), change])
        } else {
            try write(
                """
                INSERT INTO change (tenant, digest_high, digest_low, version, withdrawn, revoked_at, expires_at, note)
                VALUES ('chat', 1, 2, 3, 0, 4, 5, 'nonsense')
                """
            )
        }
    }
}
