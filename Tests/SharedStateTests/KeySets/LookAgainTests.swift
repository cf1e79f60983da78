import Logging
import Store
import TestSupport
import Testing
import Time
import Verification

@testable import SharedState

/// What an instance makes of the store when it may have missed a word, or the store may have lost one.
@Suite(.timeLimit(.minutes(1))) struct LookAgainTests {
    private func store(_ record: KeySetRecord, in house: KeeperHouse) async {
        let logger = Logger(label: "another") { _ in SwiftLogNoOpLogHandler() }
        _ = await SharedKeySets(store: house.store, logger: logger).publish(record)
    }

    private func stored(in house: KeeperHouse) async throws -> KeySet? {
        let logger = Logger(label: "another") { _ in SwiftLogNoOpLogHandler() }
        return try await SharedKeySets(store: house.store, logger: logger)
            .heldSet(for: KeeperHouse.source.locationText)?.keys
    }

    private func withKeeper(_ visit: (KeeperHouse, KeySet) async throws -> Void) async throws {
        let set = try SampleKeys.keySet()
        let house = KeeperHouse(provider: PretendProvider(set))
        house.start()
        await house.used[0].wait { $0.count == 1 }
        // It is shared after it is used.
        while try await stored(in: house) == nil { await Task.yield() }
        do {
            try await visit(house, SampleKeys.parsed(set))
        } catch {
            await house.stop()
            throw error
        }
        await house.stop()
    }

    @Test func olderSetOfAStoreThatLostTheNewerIsReplacedByOurs() async throws {
        try await withKeeper { house, ours in
            let old = try SampleKeys.keySet()
            let location = KeeperHouse.source.locationText
            await store(
                SampleKeys.record(old, fetchedAt: house.clock.now.unix - 600, location: location),
                in: house
            )
            await house.keepers[0].lookAgain()
            #expect(house.used[0].value == [ours], "a key that was withdrawn must not come back")
            #expect(try await stored(in: house) == ours)
        }
    }

    @Test func newerSetThatNobodyToldOfIsAdopted() async throws {
        try await withKeeper { house, ours in
            let new = try SampleKeys.keySet()
            let location = KeeperHouse.source.locationText
            await store(
                SampleKeys.record(new, fetchedAt: house.clock.now.unix + 1, location: location),
                in: house
            )
            await house.keepers[0].lookAgain()
            #expect(house.used[0].value == [ours, try SampleKeys.parsed(new)])
        }
    }

    @Test func storeThatLostItAllGetsOurs() async throws {
        try await withKeeper { house, ours in
            let location = KeeperHouse.source.locationText
            try await house.store.remove(StoreKey(tenant: nil, kind: "key-set", hashing: location.utf8))
            await house.keepers[0].lookAgain()
            #expect(try await stored(in: house) == ours)
        }
    }

    @Test func storeThatIsAwayChangesNothing() async throws {
        try await withKeeper { house, ours in
            house.store.setUp(false)
            await house.keepers[0].lookAgain()
            #expect(house.used[0].value == [ours])
        }
    }
}
