import Logging
import Store
import Tenants
import TestSupport
import Testing
import Time
import Verification

@testable import SharedState

/// Several instances on one store, in pretend time. The time limit is a failure's.
@Suite(.timeLimit(.minutes(1))) struct KeySetFleetTests {
    private let keySet: [UInt8]
    private let other: [UInt8]
    private let keys: KeySet
    private let otherKeys: KeySet

    init() throws {
        keySet = try SampleKeys.keySet()
        other = try SampleKeys.keySet()
        keys = try SampleKeys.parsed(keySet)
        otherKeys = try SampleKeys.parsed(other)
    }

    @Test func tenInstancesFromAColdStartFetchOnce() async throws {
        let house = KeeperHouse(10, provider: PretendProvider(keySet))
        house.provider.hold(true)
        house.start()
        await house.provider.waitForFetches(1)
        // The nine others have seen that the lease is taken.
        await house.clock.waitForSleepers(9, after: 0.25)
        house.clock.advance(by: 0.25)
        await house.clock.waitForSleepers(9, after: 0.25)
        house.provider.hold(false)
        await house.store.announcements.wait { $0.count == 1 }
        house.clock.advance(by: 0.25)
        for used in house.used { await used.wait { $0 == [keys] } }
        #expect(house.provider.fetches == 1)
        await house.stop()
    }

    @Test func aThousandWaitingRequestsCostOneFetch() async throws {
        let house = KeeperHouse(10, provider: PretendProvider(keySet))
        house.provider.hold(true)
        house.start()
        await house.provider.waitForFetches(1)
        let answers = await withTaskGroup { group in
            for number in 0..<1000 {
                group.addTask { await house.keepers[number % 10].ask(KeeperHouse.source, because: .missing) }
            }
            await house.clock.waitForSleepers(10, after: 5)
            house.provider.hold(false)
            await house.store.announcements.wait { !$0.isEmpty }
            await house.deliver(to: Array(0..<10))
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 1000)
        #expect(answers.allSatisfy { $0 == .decideAgain })
        #expect(house.provider.fetches == 1)
        await house.stop()
    }

    @Test func aRotationIsToldToTheOthers() async throws {
        let house = KeeperHouse(3, provider: PretendProvider(keySet))
        await house.open()
        house.provider.answer(other)
        #expect(await house.keepers[1].ask(KeeperHouse.source, because: .unknownKey) == .decideAgain)
        await house.store.announcements.wait { $0.count == 2 }
        await house.deliver(to: [0, 2])
        for used in house.used { #expect(used.value == [keys, otherKeys]) }
        #expect(house.provider.fetches == 2)
        await house.stop()
    }

    @Test func whoMissedTheAnnouncementFindsTheSetInTheStore() async throws {
        let house = KeeperHouse(2, provider: PretendProvider(keySet))
        await house.open()
        house.provider.answer(other)
        #expect(await house.keepers[0].ask(KeeperHouse.source, because: .unknownKey) == .decideAgain)
        await house.store.announcements.wait { $0.count == 2 }
        #expect(await house.keepers[1].ask(KeeperHouse.source, because: .unknownKey) == .decideAgain)
        #expect(house.used[1].value == [keys, otherKeys])
        #expect(house.provider.fetches == 2)
        await house.stop()
    }

    @Test func othersTryWhenTheLeaseHolderDies() async throws {
        let house = KeeperHouse(2, provider: PretendProvider(keySet))
        // An instance that is none of these took the lease and is never heard of again.
        let shared = SharedKeySets(store: house.store, logger: .init(label: "dead"))
        #expect(try await shared.leaseToFetch(KeeperHouse.source.locationText) != nil)
        house.start()
        for _ in 0..<60 {
            await house.clock.waitForSleepers(2, after: 0.25)
            #expect(house.provider.fetches == 0)
            house.clock.advance(by: 0.25)
        }
        await house.provider.waitForFetches(1)
        await house.store.announcements.wait { !$0.isEmpty }
        await house.deliver(to: [0, 1])
        for used in house.used { await used.wait { $0 == [keys] } }
        await house.stop()
        #expect(house.provider.fetches == 1)
    }

    @Test func aFailureOfTheLeaseHolderIsNotRepeatedByAllAtOnce() async throws {
        let house = KeeperHouse(10, provider: PretendProvider(keySet))
        house.provider.hold(true)
        house.start()
        await house.provider.waitForFetches(1)
        await house.clock.waitForSleepers(9, after: 0.25)
        house.provider.fail("answered 500")
        house.provider.hold(false)
        // The holder backs off for half a second, the others look again after a quarter.
        await house.clock.waitForSleepers(1, after: 0.75)
        house.clock.advance(by: 0.25)
        await house.clock.waitForSleepers(10, after: 0.25)
        #expect(house.provider.fetches == 1)
        await house.stop()
    }

    @Test func withoutTheStoreEachFetchesForItself() async throws {
        let house = KeeperHouse(3, provider: PretendProvider(keySet))
        house.store.setUp(false)
        await house.open()
        #expect(house.provider.fetches == 3)
        await house.stop()
    }

    @Test func aStoreThatComesBackIsGivenNothingOlder() async throws {
        let house = KeeperHouse(2, provider: PretendProvider(keySet))
        await house.open()
        house.store.setUp(false)
        house.provider.answer(other)
        house.clock.advance(by: 100)
        #expect(await house.keepers[0].ask(KeeperHouse.source, because: .unknownKey) == .decideAgain)
        house.store.setUp(true)
        // The store has the first set still; it is not newer than what was fetched without the store.
        await house.deliver(to: [0])
        #expect(house.used[0].value == [keys, otherKeys])
        #expect(house.used[1].value == [keys])
        await house.stop()
    }

    @Test func instancesWithDifferentClocksShareASet() async throws {
        let house = KeeperHouse(provider: PretendProvider(keySet))
        await house.open()
        // Written by a clock that is an hour behind, and after ours.
        let shared = SharedKeySets(store: house.store, logger: .init(label: "slow"))
        let record = SampleKeys.record(other, fetchedAt: house.clock.now.unix - 3600, lifetime: 86_400)
        #expect(await shared.publish(record))
        await house.keepers[0].announced(shared.subject(record.location))
        #expect(house.used[0].value == [keys, otherKeys])
        await house.stop()
    }

    @Test func anAnnouncementOfSomethingElseIsNotOurs() async throws {
        let house = KeeperHouse(provider: PretendProvider(keySet))
        await house.open()
        await house.keepers[0].announced("gatehouse:fleet:key-set:0000")
        #expect(house.used[0].value == [keys])
        await house.stop()
    }
}
