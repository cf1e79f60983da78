import Store
import Tenants
import TestSupport
import Testing
import Verification

@testable import SharedState

/// Tokens that name keys nobody knows, in pretend time. The time limit is a failure's.
@Suite(.timeLimit(.minutes(1))) struct UnknownKeyTests {
    private let keySet: [UInt8]

    init() throws {
        keySet = try SampleKeys.keySet()
    }

    private func flood(_ house: KeeperHouse, _ count: Int) async -> [KeySetAnswer] {
        await withTaskGroup { group in
            for number in 0..<count {
                let keeper = house.keepers[number % house.keepers.count]
                group.addTask { await keeper.ask(KeeperHouse.source, because: .unknownKey) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func aFloodOfForgedKeyIDsCostsOneFetchAMinute() async throws {
        let house = KeeperHouse(provider: PretendProvider(keySet))
        await house.open()
        for minute in 1...5 {
            let answers = await flood(house, 2000)
            #expect(answers.allSatisfy { $0 == .nothingNew })
            #expect(house.provider.fetches == 1 + minute)
            house.clock.advance(by: 59)
            #expect(await flood(house, 2000).allSatisfy { $0 == .nothingNew })
            #expect(house.provider.fetches == 1 + minute)
            house.clock.advance(by: 1)
        }
        await house.stop()
    }

    @Test func aFloodAtManyInstancesCostsOneFetchAMinuteForAll() async throws {
        let house = KeeperHouse(5, provider: PretendProvider(keySet))
        await house.open()
        for minute in 1...3 {
            // The instances that do not fetch may have to look for the result, a quarter of a second at a time.
            let passing = Task {
                while !Task.isCancelled {
                    await house.clock.waitForSleepers(1, after: 0.25)
                    house.clock.advance(by: 0.25)
                }
            }
            _ = await flood(house, 1000)
            passing.cancel()
            await passing.value
            #expect(house.provider.fetches == 1 + minute)
            house.clock.advance(by: 61)
        }
        #expect(house.provider.books.value.mostUnderWay == 1)
        await house.stop()
    }

    @Test func aFetchUnderWayIsWaitedForAndShared() async throws {
        let house = KeeperHouse(provider: PretendProvider(keySet))
        await house.open()
        house.provider.hold(true)
        let first = Task { await house.keepers[0].ask(KeeperHouse.source, because: .unknownKey) }
        await house.provider.waitForFetches(2)
        let second = Task { await house.keepers[0].ask(KeeperHouse.source, because: .unknownKey) }
        house.provider.answer(try SampleKeys.keySet())
        house.provider.hold(false)
        #expect(await first.value == .decideAgain)
        #expect([.decideAgain, .nothingNew].contains(await second.value))
        #expect(house.provider.fetches == 2)
        await house.stop()
    }

    @Test func aProviderThatIsTooSlowIsNotWaitedFor() async throws {
        let house = KeeperHouse(provider: PretendProvider(keySet))
        await house.open()
        house.provider.hold(true)
        let asking = Task { await house.keepers[0].ask(KeeperHouse.source, because: .unknownKey) }
        await house.provider.waitForFetches(2)
        await house.clock.waitForSleepers(1, after: 5)
        house.clock.advance(by: 5)
        #expect(await asking.value == .unavailable(retryAfterSeconds: 5))
        await house.stop()
    }

    @Test func aProviderThatIsDownIsNotAskedMoreOftenForIt() async throws {
        let house = KeeperHouse(provider: PretendProvider(keySet))
        await house.open()
        house.provider.fail("answered 500")
        #expect(await flood(house, 500).allSatisfy { $0 == .nothingNew })
        #expect(await house.keepers[0].states().first?.lastError == "answered 500")
        await house.clock.waitForSleepers(1, after: 2880)
        house.clock.advance(by: 59)
        #expect(await flood(house, 500).allSatisfy { $0 == .nothingNew })
        #expect(house.provider.fetches == 2)
        await house.stop()
    }

    @Test func withoutTheStoreTheCooldownIsTheProcesss() async throws {
        let house = KeeperHouse(provider: PretendProvider(keySet))
        await house.open()
        house.store.setUp(false)
        _ = await flood(house, 500)
        house.clock.advance(by: 59.9)
        _ = await flood(house, 500)
        #expect(house.provider.fetches == 2)
        house.clock.advance(by: 0.2)
        _ = await flood(house, 500)
        #expect(house.provider.fetches == 3)
        await house.stop()
    }

    @Test func theCooldownOfTheFleetIsALeaseThatIsNotGivenBack() async throws {
        let house = KeeperHouse(2, provider: PretendProvider(keySet))
        await house.open()
        #expect(await house.keepers[0].ask(KeeperHouse.source, because: .unknownKey) == .nothingNew)
        // The other one has first heard of the same set under new times.
        await house.store.announcements.wait { $0.count == 2 }
        await house.deliver(to: [1])
        for _ in 0..<5 {
            #expect(await house.keepers[1].ask(KeeperHouse.source, because: .unknownKey) == .nothingNew)
            house.clock.advance(by: 11)
        }
        #expect(house.provider.fetches == 2)
        #expect(house.store.grants(of: "key-set-unknown") == 1)
        house.clock.advance(by: 10)
        #expect(await house.keepers[1].ask(KeeperHouse.source, because: .unknownKey) == .nothingNew)
        #expect(house.provider.fetches == 3)
        await house.stop()
    }
}
