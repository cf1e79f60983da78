import Redis
import Testing
import Time

@testable import Store

/// Values that others wrote or damaged must not make the rest unreadable.
@Suite struct UnreadableTests {
    private static let shared: [StoreFactory] = [.embedded, .redis]

    @Test(arguments: shared)
    func unreadableRecordIsSkippedUntilRevokedAgain(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            let records = try await store.revoke((0..<5).map { revocation("\($0)") })
            let spoilt = records[2]
            try await world.spoil(spoilt)
            let others = Set(records.map(\.digest)).subtracting([spoilt.digest])
            for count in 1...2 {
                #expect(Set(try await store.load(["clans", "chat"]).records.keys) == others)
                #expect(world.log.lines.count == count)
            }
            #expect(world.log.lines[1].contains("count=1 digests=\(spoilt.digest.text) tenant=chat"))
            let listed = try await store.revocations(tenant: "chat", cursor: nil, limit: 50).records
            #expect(Set(listed.map(\.digest)) == others)
            let anew = try await store.revoke([revocation("2")])
            #expect(try await store.load(["chat"]).records[spoilt.digest] == anew[0])
            #expect(try await store.load(["chat"]).records.count == 5)
        }
    }

    @Test(arguments: shared)
    func unreadableRecordIsReplacedByRestore(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            let record = try await store.revoke([revocation("one")])[0]
            try await world.spoil(record)
            let (records, position) = try await store.load(["chat"])
            #expect(records.isEmpty)
            try await store.restore([record])
            #expect(try await store.changes(after: position) == [record])
            #expect(try await store.load(["chat"]).records == [record.digest: record])
            try await store.restore([record])
            #expect(try await store.changes(after: position) == [record])
        }
    }

    @Test(arguments: shared, [false, true])
    func unreadableChangeIsMissedOnce(factory: StoreFactory, isLast: Bool) async throws {
        try await factory.run { world in
            let store = try await world.store()
            let (_, start) = try await store.load(["chat"])
            var written = try await store.revoke([revocation("one")])
            try await world.addNonsense()
            if !isLast { written += try await store.revoke([revocation("two")]) }
            for _ in 0..<2 { #expect(try await store.changes(after: start, waiting: .seconds(30)) == .missed) }
            #expect(world.log.lines.count == 1)
            for reader in [store, try await world.store()] {
                let (records, position) = try await reader.load(["chat"])
                #expect(records == Dictionary(uniqueKeysWithValues: written.map { ($0.digest, $0) }))
                for wait in [Duration.zero, .milliseconds(20)] {
                    #expect(try await reader.changes(after: position, waiting: wait) == .changes([], [], position))
                }
                let next = try await store.revoke([revocation("next")])
                #expect(try await reader.changes(after: position) == next)
                written += next
                written = Array(Dictionary(written.map { ($0.digest, $0) }) { $1 }.values)
            }
            #expect(world.log.lines.count == 1)
        }
    }

    @Test(
        arguments: [
            ["t", "chat", "d", RevocationDigest(.tenant).text, "r", "nonsense"],
            ["t", "chat", "d", "nonsense", "r", "1.0 inf R {\"kind\":\"all\"}"],
            ["t", "chat", "d", RevocationDigest(.tenant).text, "r", "1.0 inf R {\"kind\":\"all\"}", "v", "x"],
            ["", ""],
        ]
    )
    func anEntryOfTheStreamIsSaidWithItsID(fields: [String]) async throws {
        try await StoreFactory.redis.run { world in
            let store = try await world.store()
            let (_, start) = try await store.load(["chat"])
            var command = RedisCommand("XADD", "gatehouse:changes", "*")
            for word in fields { command.append(word) }
            let commands = [RedisCommand("INCR", "gatehouse:changes:count"), command]
            let id = try await withRedis(world.server, commands)[1].bytes.map { String(decoding: $0, as: UTF8.self) }
            #expect(try await store.changes(after: start, waiting: .seconds(30)) == .missed)
            #expect(world.log.lines.count == 1)
            #expect(world.log.lines.first?.hasSuffix("change=\(try #require(id))") == true)
            let (_, next) = try await store.load(["chat"])
            #expect(try await store.changes(after: next, waiting: .zero) == .changes([], [], next))
        }
    }

    @Test func additionsOfANewerVersionAreIgnored() async throws {
        try await StoreFactory.redis.run { world in
            let store = try await world.store()
            let (_, start) = try await store.load(["chat"])
            let digest = RevocationDigest(.tenant)
            let command = RedisCommand(
                "XADD",
                "gatehouse:changes",
                "7-1",
                "new",
                "x",
                "t",
                "chat",
                "d",
                digest.text,
                "r",
                #"1.5 inf R {"kind":"all","colour":"red"}"#,
                "newer",
                ""
            )
            _ = try await withRedis(world.server, [RedisCommand("INCR", "gatehouse:changes:count"), command])
            let version = try #require(RedisStreamID(milliseconds: 7, sequence: 1).version)
            let note = RevocationNote(kind: "all")
            let record = RevocationRecord(
                tenant: "chat",
                digest: digest,
                revokedAt: 1.5,
                expiresAt: .distantFuture,
                version: version,
                note: note
            )
            #expect(try await store.changes(after: start) == [record])
            #expect(world.log.lines.isEmpty)
        }
    }

    @Test func invalidAnnouncementIsSkipped() async throws {
        try await StoreFactory.redis.run { world in
            let store = try await world.store()
            let (_, start) = try await store.load(["chat"])
            let stray = RedisCommand("XADD", "gatehouse:announcements", "*", "a", "b")
            _ = try await withRedis(world.server, [stray, stray])
            guard case .changes([], [], let next) = try await store.changes(after: start, waiting: .seconds(30)) else {
                Issue.record("missed")
                return
            }
            #expect(next != start)
            #expect(try await store.changes(after: next, waiting: .zero) == .changes([], [], next))
            _ = try await withRedis(world.server, [stray])
            let told = Announcement(topic: "key-set", subject: "one")
            try await store.announce(told)
            let records = try await store.revoke([revocation("one")])
            guard case .changes(records, [told], _) = try await store.changes(after: next, waiting: .zero) else {
                Issue.record("no change was read")
                return
            }
        }
    }

    @Test(arguments: ["nonsense", "9999999999999-0 x inf R {}", "9999999999999-0 inf inf R {}", ""])
    func unreadableLineIsReplacedByRestoreAndRevoke(line: String) async throws {
        try await StoreFactory.redis.run { world in
            let store = try await world.store()
            let records = try await store.revoke([revocation("one"), revocation("two")])
            for record in records {
                let key = "gatehouse:{chat}:revocations"
                _ = try await withRedis(world.server, [RedisCommand("HSET", key, record.digest.text, line)])
            }
            #expect(try await store.load(["chat"]).records.isEmpty)
            try await store.restore([records[0]])
            let anew = try await store.revoke([revocation("two", at: 5, expires: world.clock.now + 9)])[0]
            #expect(anew.revokedAt == 5)
            #expect(try await store.load(["chat"]).records == [records[0].digest: records[0], anew.digest: anew])
        }
    }

    @Test func pagesOfUnreadableRecordsDoNotEndALoad() async throws {
        try await StoreFactory.embedded.run { world in
            let store = try await world.store()
            let records = try await store.revoke((0..<RevocationLimits.page + 500).map { revocation("\($0)") })
            // SQLite has only signed integers.
            let final = try #require(
                records.max { Int64(bitPattern: $0.digest.high) < Int64(bitPattern: $1.digest.high) }
            )
            let kept = Int64(bitPattern: final.digest.high)
            try world.write("UPDATE revocation SET note = 'nonsense' WHERE digest_high <> \(kept)")
            #expect(try await store.load(["chat"]).records == [final.digest: final])
            var found: [RevocationRecord] = []
            var cursor: String?
            repeat {
                let page = try await store.revocations(tenant: "chat", cursor: cursor, limit: 1000)
                found += page.records
                cursor = page.next
            } while cursor != nil
            #expect(found == [final])
        }
    }

    @Test(arguments: ["revoked_at = 9e999", "version = -1", "note = '{}'"])
    func foreignRowIsSkipped(assignment: String) async throws {
        try await StoreFactory.embedded.run { world in
            let store = try await world.store()
            _ = try await store.revoke([revocation("one")])
            try world.write("UPDATE revocation SET \(assignment)")
            #expect(try await store.load(["chat"]).records.isEmpty)
            #expect(world.log.lines.count == 1)
        }
    }
}
