import Logging
import NIOPosix
import Redis
import TestSupport
import Testing
import Time

@testable import Store

@Suite struct RedisStoreTests {
    private let key = StoreKey(tenant: "chat", kind: "value", name: "a")

    private func store(_ configuration: RedisConfiguration) -> RedisStore {
        RedisStore(
            configuration,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    private func withServer(_ options: [String], _ body: (UnawaitedRedisServer) async throws -> Void) async throws {
        let server = try await UnawaitedRedisServer(options)
        defer { server.remove() }
        try await body(server)
    }

    @Test func acknowledgedWritesSurviveAKill() async throws {
        try await withServer(["appendonly yes", "appendfsync always"]) { server in
            let store = store(RedisConfiguration(servers: .direct([server.address])))
            try await store.open()
            let before = try await store.revoke([revocation("before")])
            let (_, position) = try await store.load(["chat"])
            try await store.set([1], for: key, lifetime: nil)
            let after = try await store.revoke([revocation("after")])
            try server.restart()
            #expect(try await eventually { (try? await store.value(for: key)) == [1] })
            let loaded = try await store.load(["chat"]).records
            #expect(loaded == [before[0].digest: before[0], after[0].digest: after[0]])
            #expect(try await eventually { (try? await store.changes(after: position)) == after })
            await store.close()
        }
    }

    @Test func serverWithLostDataIsDetectedAndRestored() async throws {
        try await withServer(["save \"\""]) { server in
            let store = store(RedisConfiguration(servers: .direct([server.address])))
            try await store.open()
            let records = try await store.revoke((0..<300).map { revocation("\($0)") })
            let (_, position) = try await store.load(["chat"])
            let lease = try #require(try await store.acquire(key, for: .seconds(60)))
            try server.restart()
            let isFound = try await eventually {
                (try? await store.changes(after: position, waiting: .seconds(9))) == .missed
            }
            #expect(isFound)
            try await store.restore(records)
            let (loaded, next) = try await store.load(["chat"])
            #expect(loaded == Dictionary(uniqueKeysWithValues: records.map { ($0.digest, $0) }))
            #expect(try await store.changes(after: next, waiting: .zero) == .changes([], [], next))
            #expect(try await store.revoke([revocation("0")])[0].version > records[299].version)
            #expect(try #require(try await store.acquire(key, for: .seconds(60))).fencingToken > lease.fencingToken)
            await store.close()
        }
    }

    @Test func lostOwnWriteIsMissedAtAValidPosition() async throws {
        try await StoreFactory.redis.run { world in
            let store = try await world.store()
            _ = try await store.revoke([revocation("one")])
            let (_, position) = try await store.load(["chat"])
            let lost = try await store.revoke([revocation("two")])[0]
            let id = RedisStreamID(version: lost.version).text
            _ = try await withRedis(world.server, [RedisCommand("XDEL", "gatehouse:changes", id)])
            #expect(try await store.changes(after: position, waiting: .seconds(1)) == .missed)
            let (_, next) = try await store.load(["chat"])
            #expect(try await store.changes(after: next, waiting: .zero) == .changes([], [], next))
        }
    }

    @Test(.timeLimit(.minutes(5))) func pausedOrMissingServerIsUnavailableInTime() async throws {
        try await StoreFactory.redis.run { world in
            let store = try await world.store()
            _ = try await store.revoke([revocation("one")])
            world.server?.pause()
            let error = await #expect(throws: StoreError.self) { try await store.value(for: key) }
            guard case .unavailable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            world.server?.resume()
            #expect(try await eventually { (try? await store.load(["chat"]).records.count) == 1 })
        }
        let nowhere = store(RedisConfiguration(servers: .direct([RedisAddress(host: "127.0.0.1", port: 1)])))
        try await nowhere.open()
        #expect(!nowhere.isUp)
        await #expect(throws: StoreError.self) { try await nowhere.value(for: key) }
        await nowhere.close()
    }

    @Test func wrongPasswordsAndMissingRightsAreNamed() async throws {
        let rules = [
            "user default off", "user gate on >secret ~gatehouse:* +@connection +get", "user blind on >x ~a +ping",
        ]
        try await withServer(rules) { server in
            var configuration = RedisConfiguration(servers: .direct([server.address]))
            let attempts: [(String, String, String)] = [
                ("gate", "wrong", "WRONGPASS"), ("gate", "secret", RedisStore.rights),
            ]
            for (user, password, expected) in attempts {
                configuration.credentials = RedisCredentials(user: user, password: RedisPassword(Array(password.utf8)))
                let store = store(configuration)
                try await store.open()
                let error = await #expect(throws: StoreError.self) { try await store.revoke([revocation("one")]) }
                guard case .unusable(let reason) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(reason.contains(expected), "\(reason)")
                #expect(!reason.contains("secret"))
                await store.close()
            }
        }
    }

    @Test func documentedRightsSuffice() async throws {
        try await withServer(["user default on nopass resetkeys -@all \(RedisStore.rights)"]) { server in
            let store = store(RedisConfiguration(servers: .direct([server.address])))
            try await store.open()
            try await store.set([1], for: key, lifetime: .seconds(60))
            #expect(try await store.replace([1], with: [2], for: key))
            #expect(try await store.value(for: key) == [2])
            try await store.remove(key)
            let lease = try #require(try await store.acquire(key, for: .seconds(60)))
            #expect(try await store.renew(lease, for: .seconds(60)))
            try await store.release(lease)
            let records = try await store.revoke([revocation("one")])
            try await store.restore(records)
            let (_, position) = try await store.load(["chat"])
            try await store.announce(Announcement(topic: "a", subject: "b"))
            #expect(try await store.changes(after: position, waiting: .seconds(5)) != .missed)
            #expect(try await store.revocations(tenant: "chat", cursor: nil, limit: 5).records == records)
            #expect(try await store.withdraw([revocation("one").target], tenant: "chat").count == 1)
            try await store.removeExpiredRevocations(tenants: ["chat"])
            await store.close()
        }
    }

    @Test func missingRightOfAScriptIsReported() async throws {
        let rules = ["user default on nopass ~gatehouse:* +@connection +eval +hset"]
        try await withServer(rules) { server in
            let store = store(RedisConfiguration(servers: .direct([server.address])))
            try await store.open()
            let error = await #expect(throws: StoreError.self) { try await store.revoke([revocation("one")]) }
            guard case .unusable(let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("lacks a right"))
            await store.close()
        }
    }

    @Test func aServerWithoutMemoryOrThatIsAReplicaIsUnavailable() async throws {
        try await StoreFactory.redis.run { world in
            let store = try await world.store()
            let changes = [
                [RedisCommand("CONFIG", "SET", "maxmemory", "1")],
                [RedisCommand("CONFIG", "SET", "maxmemory", "0"), RedisCommand("REPLICAOF", "127.0.0.1", "1")],
            ]
            for commands in changes {
                _ = try await withRedis(world.server, commands)
                let error = await #expect(throws: StoreError.self) { try await store.revoke([revocation("one")]) }
                guard case .unavailable = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
            _ = try await withRedis(world.server, [RedisCommand("REPLICAOF", "NO", "ONE")])
            #expect(try await eventually { (try? await store.revoke([revocation("one")]))?.count == 1 })
        }
    }

    @Test(
        arguments: [
            RedisCommand("SET", "gatehouse:{chat}:revocations", "text"),
            RedisCommand("SET", "gatehouse:changes", "text"),
        ]
    )
    func whatOthersWroteIsGarbledAndNoTrap(command: RedisCommand) async throws {
        try await StoreFactory.redis.run { world in
            let store = try await world.store()
            _ = try await withRedis(world.server, [command])
            let error = await #expect(throws: StoreError.self) {
                try await store.loadRevocations(tenants: ["chat"]) { _ in }
            }
            guard case .garbled = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func unreadableRecordCannotBeWithdrawn() async throws {
        try await StoreFactory.redis.run { world in
            let store = try await world.store()
            let record = RedisCommand(
                "HSET",
                "gatehouse:{chat}:revocations",
                RevocationDigest(.tenant).text,
                "nonsense"
            )
            _ = try await withRedis(world.server, [record])
            let error = await #expect(throws: StoreError.self) { try await store.withdraw([.tenant], tenant: "chat") }
            guard case .garbled = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func fullMillisecondIsFollowedByTheNext() async throws {
        try await StoreFactory.redis.run { world in
            let store = try await world.store()
            // A clock that was set back: the stream is far ahead of it, and its count is close to the maximum.
            let ahead = "4000000000000-1048574"
            _ = try await withRedis(world.server, [RedisCommand("XADD", "gatehouse:changes", ahead, "t", "other")])
            let records = try await store.revoke((0..<3).map { revocation("\($0)") })
            #expect(
                records.map { RedisStreamID(version: $0.version).text } == [
                    "4000000000000-1048575", "4000000000001-0", "4000000000001-1",
                ]
            )
        }
    }

    @Test func keysAreTheTenantsOrTheFleets() async throws {
        try await StoreFactory.redis.run { world in
            let store = try await world.store()
            _ = try await store.revoke([revocation("a-token-id", expires: world.clock.now + 9)])
            _ = try await store.acquire(
                StoreKey(tenant: "chat", kind: "lease", hashing: "a-token".utf8),
                for: .seconds(9)
            )
            try await store.announce(Announcement(topic: "a", subject: "b"))
            guard case .array(let keys) = try await withRedis(world.server, [RedisCommand("KEYS", "*")])[0] else {
                Issue.record("no keys")
                return
            }
            let texts = keys.compactMap { $0.bytes.map { String(decoding: $0, as: UTF8.self) } }
            #expect(texts.count == 7)
            #expect(texts.allSatisfy { $0.hasPrefix("gatehouse:") && !$0.contains("a-token") })
        }
    }
}
