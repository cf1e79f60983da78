import Testing

@testable import Store

/// A wait that does not end when it should exceeds the time limit of the test.
@Suite(.timeLimit(.minutes(5))) struct StoreChangesTests {
    @Test(arguments: StoreFactory.allCases)
    func changesAreReturnedInOrderAndOnce(factory: StoreFactory) async throws {
        try await factory.run { world in
            let writer = try await world.store()
            let reader = try await world.store()
            let (_, start) = try await reader.load(["chat"])
            let revoked = try await writer.revoke([revocation("one"), revocation("two", tenant: "clans", reason: "x")])
            let withdrawn = try await writer.withdraw([revocation("one").target], tenant: "chat")
            for store in [reader, writer] {
                let news = try await store.changes(after: start, waiting: .seconds(5))
                guard case .changes(let records, [], let next) = news else {
                    Issue.record("\(news)")
                    return
                }
                #expect(records == revoked + withdrawn)
                #expect(next != start)
                #expect(try await store.changes(after: next, waiting: .zero) == .changes([], [], next))
                #expect(try await store.changes(after: next, waiting: .milliseconds(20)) == .changes([], [], next))
            }
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func writeWakesWaitingReaders(factory: StoreFactory) async throws {
        try await factory.run { world in
            let writer = try await world.store()
            let reader = try await world.store()
            var (_, position) = try await reader.load([])
            for index in 0..<5 {
                let place = position
                let waiting = Task { try await reader.changes(after: place, waiting: .seconds(3600)) }
                let written = try await writer.revoke([revocation("\(index)")])
                guard case .changes(let records, [], let next) = try await waiting.value else {
                    Issue.record("missed")
                    return
                }
                #expect(records == written)
                position = next
            }
        }
    }

    /// A local store waits for long; a reload must be able to interrupt the wait.
    @Test(arguments: [StoreFactory.memory, .embedded])
    func wakeEndsTheWait(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            #expect(store.isLocal)
            let (_, position) = try await store.load([])
            let waking = Task {
                // The wait may not have begun yet: one wakes it until it has ended.
                while !Task.isCancelled {
                    store.wake()
                    await Task.yield()
                }
            }
            #expect(try await store.changes(after: position, waiting: .seconds(3600)) == .changes([], [], position))
            waking.cancel()
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func announcementsAreReturnedWithTheChanges(factory: StoreFactory) async throws {
        try await factory.run { world in
            let writer = try await world.store()
            let reader = try await world.store()
            try await writer.announce(Announcement(topic: "key-set", subject: "before"))
            let (_, start) = try await reader.load([])
            let place = start
            let waiting = Task { try await reader.changes(after: place, waiting: .seconds(3600)) }
            let first = Announcement(topic: "key-set", subject: "https://issuer.example\n\u{0}\"")
            try await writer.announce(first)
            guard case .changes([], [first], let next) = try await waiting.value else {
                Issue.record("no change was read")
                return
            }
            let record = try await writer.revoke([revocation("one")])
            let second = Announcement(topic: "", subject: "")
            try await writer.announce(second)
            guard case .changes(record, [second], _) = try await reader.changes(after: next, waiting: .zero) else {
                Issue.record("not both changes were read")
                return
            }
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func trimmedChangesAreMissed(factory: StoreFactory) async throws {
        try await factory.run(keptChanges: 100) { world in
            let store = try await world.store()
            let (_, start) = try await store.load([])
            _ = try await store.revoke([revocation("first")])
            guard case .changes(_, _, let early) = try await store.changes(after: start, waiting: .zero) else {
                Issue.record("missed at once")
                return
            }
            _ = try await store.revoke((0..<1000).map { revocation("\($0)") })
            for position in [start, early] {
                #expect(try await store.changes(after: position, waiting: .seconds(30)) == .missed)
            }
            let (records, position) = try await store.load(["chat"])
            #expect(records.count == 1001)
            #expect(try await store.changes(after: position, waiting: .zero) == .changes([], [], position))
            let next = try await store.revoke([revocation("next")])
            #expect(try await store.changes(after: position) == next)
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func manyChangesAreReturnedInPages(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            var (_, position) = try await store.load([])
            let count = 2 * StoreChanges.fullPage
            var written = try await store.revoke((0..<count).map { revocation("\($0)") })
            var told: [RevocationRecord] = []
            var pieces: [Int] = []
            while case .changes(let records, _, let next) = try await store.changes(after: position, waiting: .zero) {
                told += records
                position = next
                pieces.append(records.count)
                if records.count < StoreChanges.fullPage { break }
                // Changes in the meantime come after the rest.
                if pieces.count == 1 { written += try await store.revoke([revocation("late"), revocation("later")]) }
            }
            #expect(told == written)
            #expect(pieces == [StoreChanges.fullPage, StoreChanges.fullPage, 2])
        }
    }

    @Test(arguments: StoreFactory.allCases, [Duration.zero, .seconds(30)])
    func pageIsFullWhileMoreChangesWait(factory: StoreFactory, wait: Duration) async throws {
        try await factory.run { world in
            let writer = try await world.store()
            let reader = try await world.store()
            let (_, start) = try await reader.load([])
            let written = try await writer.revoke((0...StoreChanges.fullPage).map { revocation("\($0)") })
            guard case .changes(let first, _, let next) = try await reader.changes(after: start, waiting: wait),
                case .changes(let second, _, let end) = try await reader.changes(after: next, waiting: wait)
            else {
                Issue.record("missed")
                return
            }
            #expect(first.count == StoreChanges.fullPage)
            #expect(first + second == written)
            #expect(try await reader.changes(after: end, waiting: .zero) == .changes([], [], end))
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func aPositionOfAnotherStoreIsMissed(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            try await factory.run { other in
                let elsewhere = try await other.store()
                _ = try await elsewhere.revoke([revocation("elsewhere")])
                let (_, foreign) = try await elsewhere.load([])
                #expect(try await store.changes(after: foreign, waiting: .seconds(30)) == .missed)
            }
            for text in ["", "0", "x/y", "1-2-3-4", "99999999999999999999-0/0-0", "-/-", "0/0/0/0"] {
                #expect(try await store.changes(after: StorePosition(text), waiting: .zero) == .missed, "\(text)")
            }
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func cancellationEndsTheWait(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            let (_, position) = try await store.load([])
            let waiting = Task { try await store.changes(after: position, waiting: .seconds(3600)) }
            waiting.cancel()
            _ = try? await waiting.value
        }
    }
}
