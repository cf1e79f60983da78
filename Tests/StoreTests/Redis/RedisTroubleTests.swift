import Foundation
import Logging
import NIOPosix
import Redis
import TestSupport
import Testing

@testable import Store

/// States of a server in which it responds with errors. Nothing is acknowledged then; afterwards the store works
/// again, with everything that was acknowledged before.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RedisTroubleTests {
    /// Acknowledges a revocation, calls `begin`, expects that further ones are refused, calls `end`, and expects that
    /// they are taken again.
    ///
    /// - Parameter reason: A text that one of the errors contains.
    private func withTrouble(
        _ reason: String,
        _ options: [String] = [],
        begin: (UnawaitedRedisServer, RedisStore) async throws -> Void,
        end: (UnawaitedRedisServer) async throws -> Void
    ) async throws {
        let server = try await UnawaitedRedisServer(options)
        defer { server.remove() }
        let store = RedisStore(
            RedisConfiguration(servers: .direct([server.address])),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        try await store.open()
        do {
            let (_, position) = try await store.load(["chat"])
            var acknowledged = try await store.revoke([revocation("before")])
            try await begin(server, store)
            try await expectRefusal(reason, store)
            try await end(server)
            let isTaken = try await eventually {
                guard let records = try? await store.revoke([revocation("after")]) else { return false }
                acknowledged += records
                return true
            }
            #expect(isTaken)
            try await expectInForce(acknowledged, position, store)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    private func expectRefusal(_ reason: String, _ store: RedisStore) async throws {
        var reasons: Set<String> = []
        let isRefused = try await eventually {
            do {
                _ = try await store.revoke([revocation("during")])
                return false
            } catch StoreError.unavailable(let text) {
                reasons.insert(text)
                return text.contains(reason)
            }
        }
        #expect(isRefused, "\(reasons)")
    }

    /// To a reader that loads, and to one that has followed since before.
    private func expectInForce(
        _ acknowledged: [RevocationRecord],
        _ position: StorePosition,
        _ store: RedisStore
    ) async throws {
        let records = try await store.load(["chat"]).records
        #expect(acknowledged.allSatisfy { records[$0.digest] == $0 })
        let isTold = try await eventually {
            guard let news = try? await store.changes(after: position, waiting: .zero) else { return false }
            guard case .changes(let changes, _, _) = news else { return news == .missed }
            return acknowledged.allSatisfy(changes.contains)
        }
        #expect(isTold)
    }

    @Test func serverThatCannotSaveRefusesAndIsUsedAgain() async throws {
        var obstacle: URL?
        try await withTrouble("MISCONF", ["save 3600 1000000", "stop-writes-on-bgsave-error yes"]) { server, _ in
            let reply = try await withRedis(server, [RedisCommand("CONFIG", "GET", "dir")])[0]
            let directory = try #require(reply.array?.last?.bytes)
            // A directory in the place of the snapshot.
            let place = URL(fileURLWithPath: String(decoding: directory, as: UTF8.self))
                .appendingPathComponent("dump.rdb")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            obstacle = place
            _ = try await withRedis(server, [RedisCommand("BGSAVE")])
        } end: { server in
            try FileManager.default.removeItem(at: try #require(obstacle))
            _ = try await withRedis(server, [RedisCommand("BGSAVE")])
        }
    }

    /// Instances that start then load the revocations in force.
    @Test func serverThatCannotSaveIsReadByNewConnections() async throws {
        try await StoreFactory.redis.run { world in
            let records = try await world.store().revoke([revocation("one")])
            let reply = try await withRedis(world.server, [RedisCommand("CONFIG", "GET", "dir")])[0]
            let directory = try #require(reply.array?.last?.bytes)
            let obstacle = URL(fileURLWithPath: String(decoding: directory, as: UTF8.self))
                .appendingPathComponent("dump.rdb")
            try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)
            _ = try await withRedis(world.server, [RedisCommand("BGSAVE")])
            let late = try await world.store()
            let isRefused = try await eventually {
                do {
                    _ = try await late.set([1], for: StoreKey(tenant: nil, kind: "value", name: "a"), lifetime: nil)
                    return false
                } catch StoreError.unavailable(let reason) {
                    return reason.contains("MISCONF")
                }
            }
            #expect(isRefused)
            let latest = try await world.store()
            #expect(try await latest.load(["chat"]).records == [records[0].digest: records[0]])
        }
    }

    @Test func replicaIsUsedOncePromoted() async throws {
        try await withTrouble("READONLY") { server, _ in
            _ = try await withRedis(server, [RedisCommand("REPLICAOF", "127.0.0.1", "1")])
        } end: { server in
            _ = try await withRedis(server, [RedisCommand("REPLICAOF", "NO", "ONE")])
        }
    }

    @Test func loadingServerIsUnavailable() async throws {
        // Each key takes half a second.
        let slow = ["save \"\"", "key-load-delay 500000", "loading-process-events-interval-bytes 1024"]
        try await withTrouble("LOADING", slow) { server, store in
            for index in 0..<20 {
                let key = StoreKey(tenant: "chat", kind: "value", name: "\(index)")
                try await store.set([UInt8](repeating: UInt8(index), count: 1500), for: key, lifetime: nil)
            }
            // Not compressed, so that the server answers between two keys.
            _ = try await withRedis(
                server,
                [RedisCommand("CONFIG", "SET", "rdbcompression", "no"), RedisCommand("SAVE")]
            )
            try server.restart()
        } end: { _ in
        }
    }

    @Test func serverThatIsBusyWithAScriptIsUsedAgain() async throws {
        var killer: RedisClient?
        var script: Task<Void, Never>?
        try await withTrouble("BUSY", ["busy-reply-threshold 50"]) { server, _ in
            // Connected before: a busy server accepts no new clients.
            let client = try RedisClient(
                RedisConfiguration(servers: .direct([server.address])),
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            client.start()
            killer = client
            _ = try await client.send(RedisCommand("PING"))
            script = Task { _ = try? await withRedis(server, [RedisCommand("EVAL", "while true do end", 0)]) }
        } end: { _ in
            let client = try #require(killer)
            // Until there was a script to end.
            let isKilled = try await eventually {
                guard let reply = try? await client.send(RedisCommand("SCRIPT", "KILL")) else { return false }
                return reply == .status("OK")
            }
            #expect(isKilled)
        }
        await script?.value
        await killer?.close()
    }

    @Test func flushedScriptsAreSentAgain() async throws {
        try await StoreFactory.redis.run { world in
            let store = try await world.store()
            _ = try await store.revoke([revocation("one")])
            let (_, position) = try await store.load(["chat"])
            _ = try await withRedis(world.server, [RedisCommand("SCRIPT", "FLUSH")])
            let records = try await store.revoke([revocation("two")])
            #expect(try await store.changes(after: position) == records)
        }
    }
}
