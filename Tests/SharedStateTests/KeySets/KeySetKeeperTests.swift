import Store
import Tenants
import TestSupport
import Testing
import Verification

@testable import SharedState

/// One instance, in pretend time. The time limit is a failure's.
@Suite(.timeLimit(.minutes(1))) struct KeySetKeeperTests {
    private let keySet: [UInt8]
    private let other: [UInt8]
    private let keys: KeySet
    private let otherKeys: KeySet

    init() throws {
        keySet = try SampleKeys.keySet()
        other = try SampleKeys.keySet(2)
        keys = try SampleKeys.parsed(keySet)
        otherKeys = try SampleKeys.parsed(other)
    }

    @Test func fetchesWhatIsMissingAndRefreshesAheadOfTime() async throws {
        let house = KeeperHouse(provider: PretendProvider(keySet))
        #expect(await !house.keepers[0].missing(of: house.sources).isEmpty)
        await house.open()
        #expect(house.used[0].value == [keys])
        #expect(await house.keepers[0].missing(of: house.sources).isEmpty)

        house.provider.answer(other)
        house.clock.advance(by: 2879)
        #expect(house.provider.fetches == 1)
        house.clock.advance(by: 1)
        await house.used[0].wait { $0.count == 2 }
        #expect(house.used[0].value == [keys, otherKeys])
        await house.stop()
    }

    @Test func theSameSetAgainIsNotHandedOn() async throws {
        let house = KeeperHouse(provider: PretendProvider(keySet))
        await house.open()
        for fetches in 2...4 {
            house.clock.advance(by: 2880)
            await house.provider.waitForFetches(fetches)
            await house.clock.waitForSleepers(1, after: 2880)
        }
        await house.stop()
        #expect(house.used[0].value == [keys])
    }

    @Test func aRefreshDoesNotHoldUpDecisions() async throws {
        let house = KeeperHouse(provider: PretendProvider(keySet))
        await house.open()
        house.provider.hold(true)
        house.clock.advance(by: 2880)
        await house.provider.waitForFetches(2)
        #expect(await house.keepers[0].ask(KeeperHouse.source, because: .missing) == .decideAgain)
        #expect(await house.keepers[0].missing(of: house.sources).isEmpty)
        await house.stop()
    }

    @Test func aStaleSetServesWhileTheProviderIsDown() async throws {
        let house = KeeperHouse(provider: PretendProvider(keySet))
        await house.open()
        house.provider.fail("answered 500")
        house.clock.advance(by: 3600)
        await house.provider.waitForFetches(2)
        await house.clock.waitForSleepers(1, after: 0.5)
        let status = await house.keepers[0].states()
        #expect(
            status == [
                KeySetStatus(
                    label: "https://id.test/keys",
                    ageSeconds: 3600,
                    numberOfKeys: 1,
                    isStale: true,
                    lastError: "answered 500"
                )
            ]
        )
        #expect(house.used[0].value == [keys])

        house.provider.answer(keySet)
        house.clock.advance(by: 1)
        await house.provider.waitForFetches(3)
        await house.clock.waitForSleepers(1, after: 2880)
        #expect(await house.keepers[0].states().first?.isStale == false)
        #expect(await house.keepers[0].states().first?.lastError == nil)
        await house.stop()
    }

    @Test func aSetIsGoneSevenDaysAfterTheLastSuccess() async throws {
        let house = KeeperHouse(provider: PretendProvider(keySet))
        await house.open()
        house.provider.fail("answered 500")
        house.clock.advance(by: 7 * 86_400 - 1)
        await house.provider.waitForFetches(2)
        await house.clock.waitForSleepers(1)
        #expect(house.used[0].value == [keys])
        house.clock.advance(by: 1)
        await house.used[0].wait { $0.count == 2 }
        #expect(house.used[0].value == [keys, nil])
        #expect(await !house.keepers[0].missing(of: house.sources).isEmpty)
        await house.stop()
    }

    @Test func garbageDoesNotReplaceASet() async throws {
        let house = KeeperHouse(provider: PretendProvider(keySet))
        await house.open()
        house.provider.answer(Array("<html>".utf8))
        house.clock.advance(by: 2880)
        await house.provider.waitForFetches(2)
        await house.clock.waitForSleepers(1, after: 0.5)
        #expect(house.used[0].value == [keys])
        #expect(await house.keepers[0].states().first?.lastError == "the key set is not strict JSON")
        await house.stop()
    }

    @Test func aSetWithoutKeysWithdrawsThemAll() async throws {
        let house = KeeperHouse(provider: PretendProvider(keySet))
        await house.open()
        house.provider.answer(Array(#"{"keys":[]}"#.utf8))
        house.clock.advance(by: 2880)
        await house.used[0].wait { $0.count == 2 }
        #expect(house.used[0].value.last == .some(.some(.empty)))
        #expect(await house.keepers[0].missing(of: house.sources).isEmpty)
        await house.stop()
    }

    @Test func whoMissesTheSetWaitsForItAndNoLongerThanFiveSeconds() async throws {
        let house = KeeperHouse(provider: PretendProvider(keySet))
        house.provider.hold(true)
        house.start()
        await house.provider.waitForFetches(1)
        let first = Task { await house.keepers[0].ask(KeeperHouse.source, because: .missing) }
        await house.clock.waitForSleepers(1, after: 5)
        house.clock.advance(by: 5)
        #expect(await first.value == .unavailable(retryAfterSeconds: 5))
        let second = Task { await house.keepers[0].ask(KeeperHouse.source, because: .missing) }
        await house.clock.waitForSleepers(1, after: 5)
        house.provider.hold(false)
        #expect(await second.value == .decideAgain)
        await house.stop()
    }

    @Test func withoutStoreSetAndProviderTheNextTryIsTold() async throws {
        let house = KeeperHouse(provider: PretendProvider(keySet))
        house.provider.fail("answered 503")
        house.store.setUp(false)
        house.start()
        await house.clock.waitForSleepers(1, after: 0.5)
        #expect(
            await house.keepers[0].ask(KeeperHouse.source, because: .missing) == .unavailable(retryAfterSeconds: 1)
        )
        house.provider.answer(keySet)
        house.clock.advance(by: 0.5)
        await house.used[0].wait { $0 == [keys] }
        await house.stop()
    }

    @Test func aSourceThatIsNotKeptHasNothingNew() async {
        let house = KeeperHouse(provider: PretendProvider(keySet))
        let stranger = RemoteKeySource(location: .keySet(url: "https://other.test/keys"))
        #expect(await house.keepers[0].ask(stranger, because: .missing) == .nothingNew)
    }

    @Test func eachSourceHasItsOwnLife() async throws {
        let sources = ["a", "b", "c"].map { RemoteKeySource(location: .keySet(url: "https://\($0).test/keys")) }
        let house = KeeperHouse(provider: PretendProvider(keySet), sources: sources)
        house.provider.hold(true)
        house.start()
        await house.provider.waitForFetches(3)
        #expect(house.provider.books.value.mostUnderWay == 3)
        house.provider.hold(false)
        await house.used[0].wait { $0.count == 3 }
        #expect(await house.keepers[0].states().map(\.label) == sources.map(\.label))
        await house.stop()
    }
}
