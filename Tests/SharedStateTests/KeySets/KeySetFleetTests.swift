import Logging
import Store
import TestSupport
import Testing
import Time
import Verification

@testable import SharedState
@testable import Tenants

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

    @Test func tenStartingInstancesFetchOnce() async throws {
        let fixture = KeySetFixture(10, provider: PretendProvider(keySet))
        fixture.provider.hold(true)
        fixture.start()
        await fixture.provider.waitForFetches(1)
        // The nine others have seen that the lease is taken.
        await fixture.clock.waitForSleepers(9, after: 0.25)
        fixture.clock.advance(by: 0.25)
        await fixture.clock.waitForSleepers(9, after: 0.25)
        fixture.provider.hold(false)
        await fixture.store.announcements.wait { $0.count == 1 }
        fixture.clock.advance(by: 0.25)
        for used in fixture.used { await used.wait { $0 == [keys] } }
        #expect(fixture.provider.fetches == 1)
        await fixture.stop()
    }

    @Test func aThousandWaitingRequestsCostOneFetch() async throws {
        let fixture = KeySetFixture(10, provider: PretendProvider(keySet))
        fixture.provider.hold(true)
        fixture.start()
        await fixture.provider.waitForFetches(1)
        let answers = await withTaskGroup { group in
            for number in 0..<1000 {
                group.addTask {
                    await fixture.services[number % 10].requestKeys(KeySetFixture.source, because: .missing)
                }
            }
            await fixture.clock.waitForSleepers(10, after: 5)
            fixture.provider.hold(false)
            await fixture.store.announcements.wait { !$0.isEmpty }
            await fixture.deliver(to: Array(0..<10))
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 1000)
        #expect(answers.allSatisfy { $0 == .decideAgain })
        #expect(fixture.provider.fetches == 1)
        await fixture.stop()
    }

    @Test func rotatedSetIsAnnouncedToOtherInstances() async throws {
        let fixture = KeySetFixture(3, provider: PretendProvider(keySet))
        await fixture.open()
        fixture.provider.answer(other)
        #expect(await fixture.services[1].requestKeys(KeySetFixture.source, because: .unknownKey) == .decideAgain)
        await fixture.store.announcements.wait { $0.count == 2 }
        await fixture.deliver(to: [0, 2])
        for used in fixture.used { #expect(used.value == [keys, otherKeys]) }
        #expect(fixture.provider.fetches == 2)
        await fixture.stop()
    }

    @Test func missedAnnouncementIsMadeUpForFromTheStore() async throws {
        let fixture = KeySetFixture(2, provider: PretendProvider(keySet))
        await fixture.open()
        fixture.provider.answer(other)
        #expect(await fixture.services[0].requestKeys(KeySetFixture.source, because: .unknownKey) == .decideAgain)
        await fixture.store.announcements.wait { $0.count == 2 }
        #expect(await fixture.services[1].requestKeys(KeySetFixture.source, because: .unknownKey) == .decideAgain)
        #expect(fixture.used[1].value == [keys, otherKeys])
        #expect(fixture.provider.fetches == 2)
        await fixture.stop()
    }

    @Test func otherInstanceFetchesWhenTheLeaseHolderDies() async throws {
        let fixture = KeySetFixture(2, provider: PretendProvider(keySet))
        // An instance that is none of these took the lease and is never heard of again.
        let shared = SharedKeySets(store: fixture.store, logger: .init(label: "dead"))
        let lease = shared.leaseKey(KeySetFixture.source.locationText)
        #expect(try await fixture.store.acquire(lease, for: .seconds(15)) != nil)
        fixture.start()
        for _ in 0..<60 {
            await fixture.clock.waitForSleepers(2, after: 0.25)
            #expect(fixture.provider.fetches == 0)
            fixture.clock.advance(by: 0.25)
        }
        await fixture.provider.waitForFetches(1)
        await fixture.store.announcements.wait { !$0.isEmpty }
        await fixture.deliver(to: [0, 1])
        for used in fixture.used { await used.wait { $0 == [keys] } }
        await fixture.stop()
        #expect(fixture.provider.fetches == 1)
    }

    @Test func setFetchedUnderALostLeaseDoesNotReplaceANewerOne() async throws {
        let fixture = KeySetFixture(provider: PretendProvider(keySet))
        fixture.provider.hold(true)
        fixture.start()
        await fixture.provider.waitForFetches(1)
        // The lease cannot be renewed and runs out; another instance fetches what is newer.
        fixture.store.setUp(false)
        fixture.clock.advance(by: 15.25)
        fixture.store.setUp(true)
        let shared = SharedKeySets(store: fixture.store, logger: .init(label: "other"))
        let location = KeySetFixture.source.locationText
        let lease = try #require(try await fixture.store.acquire(shared.leaseKey(location), for: .seconds(15)))
        let record = SampleKeys.record(other, fetchedAt: fixture.clock.now.unix, lifetime: 3600)
        #expect(await shared.publish(record, holding: lease) == .done)
        fixture.provider.hold(false)
        await fixture.used[0].wait { $0 == [keys, otherKeys] }
        #expect(try await shared.heldSet(for: location)?.record == record)
        await fixture.stop()
    }

    @Test func failedFetchIsNotRepeatedByAllInstances() async throws {
        let fixture = KeySetFixture(10, provider: PretendProvider(keySet))
        fixture.provider.hold(true)
        fixture.start()
        await fixture.provider.waitForFetches(1)
        await fixture.clock.waitForSleepers(9, after: 0.25)
        fixture.provider.fail("answered 500")
        fixture.provider.hold(false)
        // The holder backs off for half a second, the others look again after a quarter.
        await fixture.clock.waitForSleepers(1, after: 0.75)
        fixture.clock.advance(by: 0.25)
        await fixture.clock.waitForSleepers(10, after: 0.25)
        #expect(fixture.provider.fetches == 1)
        await fixture.stop()
    }

    @Test func withoutTheStoreEachInstanceFetches() async throws {
        let fixture = KeySetFixture(3, provider: PretendProvider(keySet))
        fixture.store.setUp(false)
        await fixture.open()
        #expect(fixture.provider.fetches == 3)
        await fixture.stop()
    }

    @Test func setFetchedDuringAnOutageIsNotReplacedByAnOlderOne() async throws {
        let fixture = KeySetFixture(2, provider: PretendProvider(keySet))
        await fixture.open()
        fixture.store.setUp(false)
        fixture.provider.answer(other)
        fixture.clock.advance(by: 100)
        #expect(await fixture.services[0].requestKeys(KeySetFixture.source, because: .unknownKey) == .decideAgain)
        fixture.store.setUp(true)
        // The store has the first set still; it is not newer than what was fetched without the store.
        await fixture.deliver(to: [0])
        #expect(fixture.used[0].value == [keys, otherKeys])
        #expect(fixture.used[1].value == [keys])
        await fixture.stop()
    }

    @Test func instancesWithDifferentClocksShareASet() async throws {
        let fixture = KeySetFixture(provider: PretendProvider(keySet))
        await fixture.open()
        // Written by a clock that is an hour behind, and after ours.
        let shared = SharedKeySets(store: fixture.store, logger: .init(label: "slow"))
        let record = SampleKeys.record(other, fetchedAt: fixture.clock.now.unix - 3600, lifetime: 86_400)
        #expect(await shared.publish(record) == .done)
        await fixture.services[0].announced(shared.subject(record.location))
        #expect(fixture.used[0].value == [keys, otherKeys])
        await fixture.stop()
    }

    @Test func unrelatedAnnouncementIsIgnored() async throws {
        let fixture = KeySetFixture(provider: PretendProvider(keySet))
        await fixture.open()
        await fixture.services[0].announced("gatehouse:fleet:key-set:0000")
        #expect(fixture.used[0].value == [keys])
        await fixture.stop()
    }
}
