import Logging
import NIOPosix
import Redis
import TestSupport
import Testing

@testable import Store

/// A master, its replica and a sentinel that decides alone.
@Suite(.serialized) struct RedisReplicaTests {
    private func withSentinel(
        _ body: (UnawaitedRedisServer, UnawaitedRedisServer, RedisStore) async throws -> Void
    ) async throws {
        let master = try await UnawaitedRedisServer(["save \"\""])
        defer { master.remove() }
        let replica = try await UnawaitedRedisServer(["save \"\"", "replicaof 127.0.0.1 \(master.port)"])
        defer { replica.remove() }
        // A sentinel learns of replicas when it asks the master: at once, and then after ten seconds.
        let isAttached = try await eventually {
            let reply = try await withRedis(master, [RedisCommand("INFO", "replication")])[0]
            return reply.bytes.map { String(decoding: $0, as: UTF8.self).contains("state=online") } ?? false
        }
        #expect(isAttached)
        let sentinel = try await UnawaitedRedisServer(
            [
                "sentinel monitor gate 127.0.0.1 \(master.port) 1",
                "sentinel down-after-milliseconds gate 500",
                "sentinel failover-timeout gate 3000",
            ],
            program: "redis-sentinel"
        )
        defer { sentinel.remove() }
        let store = RedisStore(
            RedisConfiguration(servers: .sentinels([sentinel.address], masterName: "gate")),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        try await store.open()
        try await attempt {
            try await body(master, replica, store)
        } finally: {
            await store.close()
        }
    }

    /// The replica has to be there before a write can be acknowledged.
    private func revoke(_ id: String, _ store: RedisStore) async throws {
        let isDone = try await eventually {
            let records = try? await store.revoke([revocation(id)])
            return records?.count == 1
        }
        #expect(isDone)
    }

    @Test func failoverKeepsAcknowledgedWrites() async throws {
        try await withSentinel { master, _, store in
            var acknowledged: [RevocationDigest] = []
            try await revoke("first", store)
            let (_, position) = try await store.load(["chat"])
            for index in 0..<200 {
                acknowledged += (try? await store.revoke([revocation("\(index)")]))?.map(\.digest) ?? []
            }
            master.kill()
            #expect(!acknowledged.isEmpty)
            var records: [RevocationDigest: RevocationRecord] = [:]
            _ = try await eventually {
                records = (try? await store.load(["chat"]).records) ?? [:]
                return !records.isEmpty
            }
            #expect(acknowledged.allSatisfy { records[$0] != nil })
            let isTold = try await eventually {
                guard case .changes(let changes, _, _) = try? await store.changes(after: position, waiting: .zero)
                else {
                    return false
                }
                return Set(acknowledged).isSubset(of: changes.map(\.digest))
            }
            #expect(isTold)
        }
    }

    @Test func writeWithoutReplicaIsNotAcknowledged() async throws {
        try await withSentinel { _, replica, store in
            try await revoke("first", store)
            replica.pause()
            let error = await #expect(throws: StoreError.self) { try await store.revoke([revocation("second")]) }
            #expect(error == .unavailable("no replica has the write"))
            replica.resume()
            try await revoke("third", store)
        }
    }
}
