import Store
import TestSupport
import Testing
import Verification

@testable import SharedState
@testable import Tenants

/// One instance, in pretend time. The time limit is a failure's.
@Suite(.timeLimit(.minutes(1))) struct KeySetServiceTests {
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

    @Test func missingSetsAreFetchedAndRefreshedAheadOfTime() async throws {
        let fixture = KeySetFixture(provider: PretendProvider(keySet))
        #expect(await !fixture.services[0].missing(of: fixture.sources).isEmpty)
        await fixture.open()
        #expect(fixture.used[0].value == [keys])
        #expect(await fixture.services[0].missing(of: fixture.sources).isEmpty)

        fixture.provider.answer(other)
        fixture.clock.advance(by: 2879)
        #expect(fixture.provider.fetches == 1)
        fixture.clock.advance(by: 1)
        await fixture.used[0].wait { $0.count == 2 }
        #expect(fixture.used[0].value == [keys, otherKeys])
        await fixture.stop()
    }

    @Test func unchangedSetIsNotUsedAgain() async throws {
        let fixture = KeySetFixture(provider: PretendProvider(keySet))
        await fixture.open()
        for fetches in 2...4 {
            fixture.clock.advance(by: 2880)
            await fixture.provider.waitForFetches(fetches)
            await fixture.clock.waitForSleepers(1, after: 2880)
        }
        await fixture.stop()
        #expect(fixture.used[0].value == [keys])
    }

    @Test func refreshDoesNotDelayDecisions() async throws {
        let fixture = KeySetFixture(provider: PretendProvider(keySet))
        await fixture.open()
        fixture.provider.hold(true)
        fixture.clock.advance(by: 2880)
        await fixture.provider.waitForFetches(2)
        #expect(await fixture.services[0].requestKeys(KeySetFixture.source, because: .missing) == .decideAgain)
        #expect(await fixture.services[0].missing(of: fixture.sources).isEmpty)
        await fixture.stop()
    }

    @Test func staleSetIsUsedWhileTheProviderIsDown() async throws {
        let fixture = KeySetFixture(provider: PretendProvider(keySet))
        await fixture.open()
        fixture.provider.fail("answered 500")
        fixture.clock.advance(by: 3600)
        await fixture.provider.waitForFetches(2)
        await fixture.clock.waitForSleepers(1, after: 0.5)
        let status = await fixture.services[0].statuses()
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
        #expect(fixture.used[0].value == [keys])

        fixture.provider.answer(keySet)
        fixture.clock.advance(by: 1)
        await fixture.provider.waitForFetches(3)
        await fixture.clock.waitForSleepers(1, after: 2880)
        #expect(await fixture.services[0].statuses().first?.isStale == false)
        #expect(await fixture.services[0].statuses().first?.lastError == nil)
        await fixture.stop()
    }

    @Test func setExpiresSevenDaysAfterTheLastSuccess() async throws {
        let fixture = KeySetFixture(provider: PretendProvider(keySet))
        await fixture.open()
        fixture.provider.fail("answered 500")
        fixture.clock.advance(by: 7 * 86_400 - 1)
        await fixture.provider.waitForFetches(2)
        await fixture.clock.waitForSleepers(1)
        #expect(fixture.used[0].value == [keys])
        fixture.clock.advance(by: 1)
        await fixture.used[0].wait { $0.count == 2 }
        #expect(fixture.used[0].value == [keys, nil])
        #expect(await !fixture.services[0].missing(of: fixture.sources).isEmpty)
        await fixture.stop()
    }

    @Test func garbageDoesNotReplaceASet() async throws {
        let fixture = KeySetFixture(provider: PretendProvider(keySet))
        await fixture.open()
        fixture.provider.answer(Array("<html>".utf8))
        fixture.clock.advance(by: 2880)
        await fixture.provider.waitForFetches(2)
        await fixture.clock.waitForSleepers(1, after: 0.5)
        #expect(fixture.used[0].value == [keys])
        #expect(await fixture.services[0].statuses().first?.lastError == "the key set is not strict JSON")
        await fixture.stop()
    }

    @Test func emptySetWithdrawsAllKeys() async throws {
        let fixture = KeySetFixture(provider: PretendProvider(keySet))
        await fixture.open()
        fixture.provider.answer(Array(#"{"keys":[]}"#.utf8))
        fixture.clock.advance(by: 2880)
        await fixture.used[0].wait { $0.count == 2 }
        #expect(fixture.used[0].value.last == .some(.some(.empty)))
        #expect(await fixture.services[0].missing(of: fixture.sources).isEmpty)
        await fixture.stop()
    }

    @Test func requestForAMissingSetWaitsAtMostFiveSeconds() async throws {
        let fixture = KeySetFixture(provider: PretendProvider(keySet))
        fixture.provider.hold(true)
        fixture.start()
        await fixture.provider.waitForFetches(1)
        let first = Task { await fixture.services[0].requestKeys(KeySetFixture.source, because: .missing) }
        await fixture.clock.waitForSleepers(1, after: 5)
        fixture.clock.advance(by: 5)
        #expect(await first.value == .unavailable(retryAfterSeconds: 5))
        let second = Task { await fixture.services[0].requestKeys(KeySetFixture.source, because: .missing) }
        await fixture.clock.waitForSleepers(1, after: 5)
        fixture.provider.hold(false)
        #expect(await second.value == .decideAgain)
        await fixture.stop()
    }

    @Test func unavailableSetReportsTheNextAttempt() async throws {
        let fixture = KeySetFixture(provider: PretendProvider(keySet))
        fixture.provider.fail("answered 503")
        fixture.store.setUp(false)
        fixture.start()
        await fixture.clock.waitForSleepers(1, after: 0.5)
        #expect(
            await fixture.services[0].requestKeys(KeySetFixture.source, because: .missing)
                == .unavailable(retryAfterSeconds: 1)
        )
        fixture.provider.answer(keySet)
        fixture.clock.advance(by: 0.5)
        await fixture.used[0].wait { $0 == [keys] }
        await fixture.stop()
    }

    @Test func unknownSourceHasNothingNew() async {
        let fixture = KeySetFixture(provider: PretendProvider(keySet))
        let stranger = RemoteKeySource(location: .keySet(url: "https://other.test/keys"))
        #expect(await fixture.services[0].requestKeys(stranger, because: .missing) == .nothingNew)
    }

    @Test func sourcesAreIndependent() async throws {
        let sources = ["a", "b", "c"].map { RemoteKeySource(location: .keySet(url: "https://\($0).test/keys")) }
        let fixture = KeySetFixture(provider: PretendProvider(keySet), sources: sources)
        fixture.provider.hold(true)
        fixture.start()
        await fixture.provider.waitForFetches(3)
        #expect(fixture.provider.books.value.mostConcurrent == 3)
        fixture.provider.hold(false)
        await fixture.used[0].wait { $0.count == 3 }
        #expect(await fixture.services[0].statuses().map(\.label) == sources.map(\.label))
        await fixture.stop()
    }
}
