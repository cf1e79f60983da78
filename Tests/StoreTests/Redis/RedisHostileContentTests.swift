import Redis
import TestSupport
import Testing

@testable import Store

/// Keys with values that no gateway has written: each call succeeds or fails with an error that names the key, and
/// once the key is deleted the store works again.
@Suite(.timeLimit(.minutes(5))) struct RedisHostileContentTests {
    private static let value = StoreKey(tenant: "chat", kind: "value", name: "a")
    private static let lease = StoreKey(tenant: "chat", kind: "lease", name: "a")
    private static let free = StoreKey(tenant: "chat", kind: "lease", name: "free")
    private static let allowance = StoreKey(tenant: "chat", kind: "limit", name: "a")

    /// The calls of a store that can meet such a key.
    enum Call: CaseIterable, Sendable {
        case revoke, withdraw, restore, list, load, news, announce, removeExpired, set, value, replace, lease, use

        /// - Returns: Nil if it succeeded.
        func error(_ store: any Store, _ position: StorePosition, _ record: RevocationRecord) async -> StoreError? {
            do throws(StoreError) {
                switch self {
                case .revoke: _ = try await store.revoke([revocation("new", expires: 9_000_000_000)])
                case .withdraw: _ = try await store.withdraw([revocation("known").target], tenant: "chat")
                case .restore:
                    var restored = record
                    restored.version += 1 << 20
                    try await store.restore([restored])
                case .list: _ = try await store.revocations(tenant: "chat", cursor: nil, limit: 10)
                case .load: _ = try await store.loadRevocations(tenants: ["chat"]) { _ in }
                case .news: _ = try await store.changes(after: position, waiting: .zero)
                case .announce: try await store.announce(Announcement(topic: "a", subject: "b"))
                case .removeExpired: try await store.removeExpiredRevocations(tenants: ["chat"])
                case .set: try await store.set([1], for: RedisHostileContentTests.value, lifetime: nil)
                case .value: _ = try await store.value(for: RedisHostileContentTests.value)
                case .replace: _ = try await store.replace([1], with: [2], for: RedisHostileContentTests.value)
                case .lease:
                    guard let lease = try await store.acquire(RedisHostileContentTests.lease, for: .seconds(60)) else {
                        return nil
                    }
                    _ = try await store.renew(lease, for: .seconds(60))
                    try await store.release(lease)
                case .use:
                    let use = AllowanceUse(key: RedisHostileContentTests.allowance, count: 1, interval: 9, most: 99)
                    _ = try await store.use([use], timeout: .seconds(60))
                }
                return nil
            } catch {
                return error
            }
        }
    }

    struct Hostile: Sendable, CustomTestStringConvertible {
        let key: String
        let write: RedisCommand
        /// The calls that fail.
        let failing: Set<Call>

        var testDescription: String { "\(key) \(failing)" }
    }

    /// A list where a text is expected, a text where anything else is.
    private static let otherTypes: [Hostile] = [
        Hostile(
            key: RedisKeys.revocations("chat"),
            write: RedisCommand("SET", RedisKeys.revocations("chat"), "text"),
            failing: [.revoke, .withdraw, .restore, .list, .load]
        ),
        Hostile(
            key: RedisKeys.expiry("chat"),
            write: RedisCommand("SET", RedisKeys.expiry("chat"), "text"),
            failing: [.revoke, .withdraw, .restore, .removeExpired]
        ),
        Hostile(
            key: RedisKeys.changes,
            write: RedisCommand("SET", RedisKeys.changes, "text"),
            failing: [.revoke, .withdraw, .restore, .load, .news]
        ),
        Hostile(
            key: RedisKeys.announcements,
            write: RedisCommand("SET", RedisKeys.announcements, "text"),
            failing: [.load, .news, .announce]
        ),
        Hostile(
            key: RedisKeys.changeCount,
            write: RedisCommand("RPUSH", RedisKeys.changeCount, "text"),
            failing: [.revoke, .withdraw, .restore, .load, .news]
        ),
        Hostile(
            key: RedisKeys.fencingToken,
            write: RedisCommand("RPUSH", RedisKeys.fencingToken, "text"),
            failing: [.lease]
        ),
        Hostile(key: value.text, write: RedisCommand("RPUSH", value.text, "text"), failing: [.value, .replace]),
        Hostile(key: lease.text, write: RedisCommand("RPUSH", lease.text, "text"), failing: []),
        Hostile(key: allowance.text, write: RedisCommand("RPUSH", allowance.text, "text"), failing: [.use]),
    ]

    @Test(arguments: otherTypes, Call.allCases)
    private func keyOfAnotherTypeIsReported(_ hostile: Hostile, _ call: Call) async throws {
        try await StoreFactory.redis.run { world in
            let store = try await world.store()
            let records = try await store.revoke([revocation("known")])
            let (_, position) = try await store.load(["chat"])
            let redis = [RedisCommand("DEL", hostile.key), hostile.write]
            _ = try await withRedis(world.server, redis)
            let error = await call.error(store, position, records[0])
            #expect((error != nil) == hostile.failing.contains(call), "\(String(describing: error))")
            if let error {
                guard case .garbled(let reason) = error else {
                    Issue.record("\(error)")
                    return
                }
                #expect(reason.contains("WRONGTYPE"), "\(reason)")
            }
            #expect(store.isUp)
            _ = try await withRedis(world.server, [RedisCommand("DEL", hostile.key)])
            // As a reader that follows does.
            try await store.restore(records)
            let after = try await store.revoke([revocation("after")])
            let loaded = try await store.load(["chat"]).records
            let known = try #require(loaded[records[0].digest])
            #expect(known.version >= records[0].version && (known.isWithdrawn == false || call == .withdraw))
            #expect(loaded[after[0].digest] == after[0])
        }
    }

    /// Larger than a signed or unsigned number of 64 bits, below zero, and not a number.
    private static let numbers = [
        "9223372036854775807", "18446744073709551615", "99999999999999999999999", "-5", "-9223372036854775808", "1e5",
        "nan", "inf", "", "0x10", " 7",
    ]

    @Test(arguments: numbers)
    func oversizedNumberAcknowledgesNothing(_ number: String) async throws {
        try await StoreFactory.redis.run { world in
            let store = try await world.store()
            var acknowledged = try await store.revoke([revocation("known", expires: 9_000_000_000)])
            let (_, position) = try await store.load(["chat"])
            let digest = RevocationDigest(.subject("other")).text
            let line = number + #"-0 \#(number) \#(number) R {"kind":"all"}"#
            let commands = [
                RedisCommand("SET", RedisKeys.changeCount, number), RedisCommand("SET", RedisKeys.fencingToken, number),
                RedisCommand("SET", Self.allowance.text, number),
                RedisCommand("HSET", RedisKeys.revocations("chat"), digest, line),
            ]
            _ = try await withRedis(world.server, commands)
            for call in Call.allCases where call != .revoke && call != .withdraw {
                // Whatever the result is, the process continues.
                _ = await call.error(store, position, acknowledged[0])
            }
            acknowledged += (try? await store.revoke([revocation("new")])) ?? []
            _ = try? await store.revoke([Revocation(tenant: "chat", target: .subject("other"), revokedAt: 1)])
            let delete = [RedisKeys.changeCount, RedisKeys.fencingToken].map { RedisCommand("DEL", $0) }
            _ = try await withRedis(world.server, delete)
            acknowledged += try await store.revoke([revocation("after")])
            let loaded = try await store.load(["chat"]).records
            for record in acknowledged {
                #expect(loaded[record.digest].map { !$0.isWithdrawn } == true)
            }
            #expect(try await store.acquire(Self.free, for: .seconds(60)) != nil)
        }
    }

    /// The stream's IDs, and its count of entries.
    @Test(
        arguments: [
            RedisCommand("XADD", "gatehouse:changes", "18446744073709551615-18446744073709551615", "a", "b"),
            RedisCommand("XADD", "gatehouse:changes", "18446744073709551614-7", "a", "b"),
            RedisCommand("XADD", "gatehouse:changes", "9223372036854775807-0", "a", "b"),
        ]
    )
    func streamThatHasNoMoreVersionsAcknowledgesNothing(_ command: RedisCommand) async throws {
        try await StoreFactory.redis.run { world in
            let store = try await world.store()
            let (_, position) = try await store.load(["chat"])
            _ = try await withRedis(world.server, [command])
            await #expect(throws: StoreError.self) { try await store.revoke([revocation("refused")]) }
            #expect(try await store.changes(after: position, waiting: .zero) == .missed)
            _ = try await withRedis(world.server, [RedisCommand("DEL", RedisKeys.changes)])
            let after = try await store.revoke([revocation("after")])
            #expect(try await store.load(["chat"]).records[after[0].digest] == after[0])
        }
    }

    @Test func countOutOfRangeIsIgnored() async throws {
        try await StoreFactory.redis.run { world in
            let store = try await world.store()
            let first = try await store.revoke([revocation("first")])
            let (_, position) = try await store.load(["chat"])
            let id = RedisStreamID(version: first[0].version).text
            let words = ["XSETID", RedisKeys.changes, id, "ENTRIESADDED", "9223372036854775807", "MAXDELETEDID", "0-0"]
            var command = RedisCommand(words[0])
            for word in words.dropFirst() { command.append(word) }
            let reply = try await withRedis(world.server, [command])[0]
            #expect(reply == .status("OK"))
            let second = try await store.revoke([revocation("second")])
            let changes = try await store.changes(after: position)
            #expect(changes == nil || changes == second)
            #expect(try await store.load(["chat"]).records.count == 2)
        }
    }

    @Test(
        arguments: [
            "18446744073709551615-18446744073709551615/0-0/18446744073709551615/18446744073709551615",
            "0-0/18446744073709551615-18446744073709551615/0/18446744073709551615", "0-0/0-0/18446744073709551616/",
            "0-0/0-0/-1/-1", "-//0/", "1-0/1-0/0/0/0", "",
        ]
    )
    func positionThatNobodyGaveIsMissed(_ position: String) async throws {
        try await StoreFactory.redis.runStore { store async throws in
            _ = try await store.revoke([revocation("one")])
            #expect(try await store.changes(after: StorePosition(position), waiting: .zero) == .missed)
        }
    }
}
