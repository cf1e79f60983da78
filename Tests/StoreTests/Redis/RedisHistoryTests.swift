import Redis
import Testing

@testable import Store

/// Entries that were trimmed or deleted before an instance has read them are missed, at any place in the stream.
@Suite struct RedisHistoryTests {
    /// What a reader that has seen `seen` changes gets when it reads again: after `count` changes, the command, and
    /// `more` changes.
    ///
    /// - Parameter leavesEntries: Otherwise there is none that identifies this history, and the next change is
    ///   missed once more.
    private func missed(
        _ count: Int,
        unseenAfter seen: Int,
        more: Int = 0,
        leavesEntries: Bool = true,
        _ command: @escaping (_ ids: [String]) -> RedisCommand
    ) async throws {
        try await StoreFactory.redis.run { world in
            let writer = try await world.store()
            let reader = try await world.store()
            _ = try await writer.load(["chat"])
            var (_, position) = try await reader.load(["chat"])
            if seen > 0 {
                _ = try await writer.revoke((0..<seen).map { revocation("seen \($0)") })
                guard case .changes(_, _, let next) = try await reader.changes(after: position, waiting: .zero) else {
                    Issue.record("missed too early")
                    return
                }
                position = next
            }
            let written = try await writer.revoke((0..<count).map { revocation("\($0)") })
            let ids = written.map { RedisStreamID(version: $0.version).text }
            let reply = try await withRedis(world.server, [command(ids)])[0]
            if case .error(_, let message) = reply { Issue.record("\(message)") }
            if more > 0 { _ = try await writer.revoke((0..<more).map { revocation("more \($0)") }) }
            #expect(try await reader.changes(after: position, waiting: .seconds(30)) == .missed)
            let (records, next) = try await reader.load(["chat"])
            #expect(records.count == seen + count + more)
            #expect(try await reader.changes(after: next, waiting: .zero) == .changes([], [], next))
            let last = try await writer.revoke([revocation("last")])
            if leavesEntries {
                #expect(try await reader.changes(after: next) == last)
            } else {
                #expect(try await reader.changes(after: next) == nil)
                #expect(try await reader.load(["chat"]).records[last[0].digest] == last[0])
            }
        }
    }

    @Test(arguments: [0, 3], [0, 1])
    func trimmedUnreadChangeIsMissed(seen: Int, kept: Int) async throws {
        try await missed(2, unseenAfter: seen, leavesEntries: kept > 0) { _ in
            RedisCommand("XTRIM", "gatehouse:changes", "MAXLEN", kept)
        }
    }

    @Test(arguments: [0, 3], [0, 1, 2])
    func deletedUnreadChangeIsMissed(seen: Int, deleted: Int) async throws {
        try await missed(3, unseenAfter: seen) { RedisCommand("XDEL", "gatehouse:changes", $0[deleted]) }
    }

    @Test(arguments: [0, 2])
    func recreatedStreamIsMissed(seen: Int) async throws {
        try await missed(2, unseenAfter: seen, more: seen + 2) { _ in RedisCommand("DEL", "gatehouse:changes") }
    }

    /// As after a failover to a replica that lacks it: as many changes are counted as the writer has read and made.
    @Test func lostAcknowledgedChangeIsMissed() async throws {
        try await StoreFactory.redis.run { world in
            let store = try await world.store()
            _ = try await store.revoke([revocation("first")])
            let (_, position) = try await store.load(["chat"])
            _ = try await withRedis(world.server, [RedisCommand("SAVE")])
            _ = try await store.revoke([revocation("lost")])
            try world.server?.restart()
            let isTaken = try await eventually { (try? await store.revoke([revocation("next")])) != nil }
            #expect(isTaken)
            #expect(try await store.changes(after: position, waiting: .zero) == .missed)
            let (records, next) = try await store.load(["chat"])
            #expect(records.count == 2)
            #expect(try await store.changes(after: next) == [])
        }
    }

    @Test func uncountedChangeOfAnEarlierVersionIsRead() async throws {
        try await StoreFactory.redis.run { world in
            let store = try await world.store()
            let first = try await store.revoke([revocation("first")])
            let (_, start) = try await store.load(["chat"])
            let line = #"1.5 inf R {"kind":"all"}"#
            let digest = RevocationDigest(.tenant).text
            let command = RedisCommand("XADD", "gatehouse:changes", "*", "t", "chat", "d", digest, "r", line)
            _ = try await withRedis(world.server, [command])
            let told = try await store.changes(after: start)
            #expect(told?.map(\.digest.text) == [digest])
            let next = try await store.revoke([revocation("next")])
            #expect(try await store.changes(after: start)?.last == next[0])
            #expect(first.count == 1)
        }
    }

    @Test func invalidCountIsAnErrorAndAcknowledgesNothing() async throws {
        try await StoreFactory.redis.run { world in
            let store = try await world.store()
            let (_, start) = try await store.load(["chat"])
            _ = try await withRedis(world.server, [RedisCommand("SET", "gatehouse:changes:count", "many")])
            await #expect(throws: StoreError.garbled("gatehouse:changes:count is no number")) {
                try await store.changes(after: start, waiting: .zero)
            }
            await #expect(throws: StoreError.self) { try await store.revoke([revocation("one")]) }
            let count = try await withRedis(world.server, [RedisCommand("EXISTS", "gatehouse:changes")])[0].integer
            #expect(count == 0)
        }
    }
}
