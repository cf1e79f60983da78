import Synchronization
import Testing
import Time

@testable import Store

@Suite struct RevocationTests {
    @Test(arguments: StoreFactory.allCases)
    func revocationIsStoredUnchanged(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            let asked = [
                revocation("one", expires: 1_900_000_000.125, reason: "lost \"phone\"\n\u{1F4F1}\\"),
                Revocation(
                    tenant: "chat",
                    target: .signingInput(sha256: Array(0..<32)),
                    revokedAt: 1_800_000_000.123456
                ),
                Revocation(tenant: "clans", target: .session("s-1"), revokedAt: 0.1),
                Revocation(tenant: "chat", target: .subject("user"), revokedAt: 1e18),
                Revocation(tenant: "clans", target: .tenant, revokedAt: -5, expiresAt: 1_800_000_900),
            ]
            let records = try await store.revoke(asked)
            #expect(records == zip(asked, records).map { RevocationRecord($0, version: $1.version) })
            #expect(zip(records, records.dropFirst()).allSatisfy { $0.version < $1.version })
            let loaded = try await store.load(["chat", "clans"]).records
            #expect(loaded == Dictionary(uniqueKeysWithValues: records.map { ($0.digest, $0) }))
            #expect(try await store.load(["chat"]).records.count == 3)
            #expect(try await store.load([]).records.isEmpty)
            #expect(try await store.revoke([]) == [])
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func revokingAgainWeakensNothing(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            let now = world.clock.now
            // Revocation and expiry times: the first, the second, and the result.
            let cases: [[(UnixTime, UnixTime)]] = [
                [(5, .distantFuture), (7.5, now + 1), (7.5, .distantFuture)],
                [(7.123456, now + 9), (5, now + 99.25), (7.123456, now + 99.25)],
                [(7, now + 9), (5, now + 1), (7, now + 9)],
                [(-7, now + 9.1), (1e18, .distantFuture), (1e18, .distantFuture)],
                [(7, now + 9.1), (7, now - 1), (7, now + 9.1)],
            ]
            for (index, times) in cases.enumerated() {
                let asked = times.map { revocation("\(index)", at: $0.0, expires: $0.1, reason: "\($0.1.seconds)") }
                let (_, position) = try await store.load(["chat"])
                let first = try await store.revoke([asked[0]])[0]
                let second = try await store.revoke([asked[1]])[0]
                var expected = RevocationRecord(asked[2], version: second.version)
                expected.note = RevocationNote(asked[1])
                #expect(second == expected)
                #expect(second.version > first.version)
                #expect(try await store.load(["chat"]).records[second.digest] == expected)
                #expect(try await store.changes(after: position) == [first, expected])
            }
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func oneCallThatRevokesTwiceKeepsTheLongerAndTheLater(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            let some = [revocation("one", at: 5), revocation("one", at: 7, expires: world.clock.now + 1)]
            let records = try await store.revoke(some)
            #expect(records.map(\.revokedAt) == [5, 7])
            #expect(records.map(\.expiresAt) == [.distantFuture, .distantFuture])
            #expect(try await store.load(["chat"]).records == [records[1].digest: records[1]])
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func expiredRevocationDoesNotExtendTheNext(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            _ = try await store.revoke([revocation("withdrawn"), revocation("over", expires: world.clock.now + 5)])
            _ = try await store.revoke([revocation("withdrawn", tenant: "clans"), revocation("over", tenant: "clans")])
            _ = try await store.withdraw([revocation("withdrawn").target], tenant: "chat")
            world.clock.advance(5)
            let asked = ["withdrawn", "over"].map { revocation($0, at: 5, expires: world.clock.now + 1) }
            let records = try await store.revoke(asked)
            #expect(records == zip(asked, records).map { RevocationRecord($0, version: $1.version) })
            #expect(Set(try await store.load(["chat"]).records.values.map(\.version)) == Set(records.map(\.version)))
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func shorterRevocationDoesNotShortenTheRecord(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            _ = try await store.revoke([revocation("one"), revocation("two", expires: world.clock.now + 30)])
            let ends = world.clock.now + 10
            let kept = try await store.revoke([revocation("one", expires: ends), revocation("two", expires: ends)])
            world.clock.advance(20)
            try await store.removeExpiredRevocations(tenants: ["chat"])
            #expect(try await store.load(["chat"]).records == [kept[0].digest: kept[0], kept[1].digest: kept[1]])
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func aWithdrawalLeavesARecordOfItself(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            let revoked = try await store.revoke([revocation("one"), revocation("two", expires: world.clock.now + 9)])
            let unknown = RevocationTarget.session("nobody")
            let targets = ["one", "two"].map { revocation($0).target }
            let withdrawn = try await store.withdraw(targets + [unknown], tenant: "chat")
            #expect(withdrawn.map(\.digest) == revoked.map(\.digest))
            #expect(withdrawn.allSatisfy { $0.isWithdrawn })
            #expect(withdrawn.map(\.note) == revoked.map(\.note))
            #expect(withdrawn.map(\.revokedAt) == revoked.map(\.revokedAt))
            #expect(withdrawn[0].expiresAt == world.clock.now + RevocationLimits.withdrawnLifetime)
            #expect(withdrawn[1].expiresAt == revoked[1].expiresAt)
            #expect(zip(revoked, withdrawn).allSatisfy { $0.version < $1.version })
            #expect(try await store.load(["chat"]).records.values.allSatisfy { $0.isWithdrawn })
            #expect(try await store.withdraw(targets, tenant: "chat") == [])
            #expect(try await store.revocations(tenant: "chat", cursor: nil, limit: 9).records == [])
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func expiredRevocationIsNotWithdrawn(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            _ = try await store.revoke([revocation("one", expires: world.clock.now + 5)])
            world.clock.advance(5)
            #expect(try await store.withdraw([revocation("one").target], tenant: "chat") == [])
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func restoringAddsMissingRecordsOnly(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            let kept = try await store.revoke([revocation("kept")])[0]
            let withdrawn = try await store.withdraw([revocation("kept").target], tenant: "chat")[0]
            let (_, position) = try await store.load(["chat"])
            var lost = RevocationRecord(revocation("lost"), version: kept.version - 1)
            lost.note = .restored
            var expired = lost
            expired.digest = RevocationDigest(high: 1, low: 1)
            expired.expiresAt = world.clock.now
            try await store.restore([kept, lost, expired])
            #expect(try await store.load(["chat"]).records == [withdrawn.digest: withdrawn, lost.digest: lost])
            #expect(try await store.changes(after: position) == [lost])
            try await store.restore([lost])
            #expect(try await store.changes(after: position) == [lost])
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func revocationAfterARestoreIsNewer(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            // As of a store whose clock was a year ahead.
            let version = RevocationVersion.next(after: 0, now: Clock.unix() + 366 * 86400)
            let ahead = RevocationRecord(revocation("ahead"), version: version)
            try await store.restore([ahead])
            let withdrawn = try await store.withdraw([revocation("ahead").target], tenant: "chat")
            #expect(withdrawn.count == 1 && withdrawn[0].version > ahead.version)
            let (_, position) = try await store.load(["chat"])
            try await store.restore([ahead])
            #expect(try await store.changes(after: position) == [])
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func nanTimesAreRejected(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            await #expect(throws: StoreError.self) { try await store.revoke([revocation("one", at: UnixTime(.nan))]) }
            await #expect(throws: StoreError.self) {
                try await store.revoke([revocation("one", expires: UnixTime(.nan))])
            }
            let impossible = RevocationRecord(revocation("one"), version: .max)
            await #expect(throws: StoreError.self) { try await store.restore([impossible]) }
            #expect(try await store.load(["chat"]).records.isEmpty)
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func listHasRevocationsInForceInPages(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            let asked = (0..<700).map { revocation("\($0)", expires: world.clock.now + ($0 % 7 == 0 ? 1 : 100)) }
            let records = try await store.revoke(asked)
            let gone = try await store.withdraw((0..<20).map { asked[$0].target }, tenant: "chat")
            world.clock.advance(2)
            var found: Set<RevocationDigest> = []
            var cursor: String?
            var pages = 0
            repeat {
                let page = try await store.revocations(tenant: "chat", cursor: cursor, limit: 50)
                for record in page.records { found.insert(record.digest) }
                cursor = page.next
                pages += 1
            } while cursor != nil && pages < 700
            let withdrawn = Set(gone.map(\.digest))
            let expected = records.filter { $0.expiresAt > world.clock.now && !withdrawn.contains($0.digest) }
            #expect(found == Set(expected.map(\.digest)))
            #expect(pages > 3)
            #expect(try await store.revocations(tenant: "none", cursor: nil, limit: 50).records == [])
            await #expect(throws: StoreError.self) {
                try await store.revocations(tenant: "chat", cursor: "x'; DROP", limit: 1)
            }
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func expiredRecordsAreRemoved(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            let passing = (0..<1200).map { revocation("passing \($0)", expires: world.clock.now + 10) }
            let lasting = [revocation("lasting", expires: world.clock.now + 100), revocation("for ever")]
            _ = try await store.revoke(passing + [revocation("other", tenant: "clans", expires: world.clock.now + 10)])
            let kept = try await store.revoke(lasting)
            try await store.removeExpiredRevocations(tenants: ["chat"])
            #expect(try await store.load(["chat"]).records.count == 1202)
            world.clock.advance(10)
            try await store.removeExpiredRevocations(tenants: ["chat"])
            #expect(try await store.load(["chat"]).records == [kept[0].digest: kept[0], kept[1].digest: kept[1]])
            #expect(try await store.load(["clans"]).records.count == 1)
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func extendedRecordOutlivesItsFirstExpiry(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            _ = try await store.revoke([revocation("one", expires: world.clock.now + 10)])
            let extended = try await store.revoke([revocation("one")])[0]
            world.clock.advance(20)
            try await store.removeExpiredRevocations(tenants: ["chat"])
            #expect(try await store.load(["chat"]).records == [extended.digest: extended])
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func loadDuringWritesMissesNothing(factory: StoreFactory) async throws {
        try await factory.run { world in
            let writer = try await world.store()
            let reader = try await world.store()
            _ = try await writer.revoke((0..<8000).map { revocation("before \($0)") })
            let written = Mutex<[RevocationDigest]>([])
            let isLoaded = Mutex(false)
            let writing = Task {
                var index = 0
                while !isLoaded.withLock({ $0 }) || index < 200 {
                    let record = try await writer.revoke([revocation("during \(index)")])[0]
                    written.withLock { $0.append(record.digest) }
                    index += 1
                }
            }
            var (records, position) = try await reader.load(["chat"])
            isLoaded.withLock { $0 = true }
            try await writing.value
            while case .changes(let changes, _, let next) = try await reader.changes(after: position, waiting: .zero) {
                if changes.isEmpty { break }
                for record in changes { records[record.digest] = record }
                position = next
            }
            #expect(records.count == 8000 + written.withLock { $0.count })
            #expect(written.withLock { $0 }.allSatisfy { records[$0] != nil })
        }
    }
}
