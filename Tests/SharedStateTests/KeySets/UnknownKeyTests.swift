import Store
import Tenants
import TestSupport
import Testing
import Verification

@testable import SharedState

/// Tokens that name unknown keys, in simulated time. Only a failure reaches the time limit.
@Suite(.timeLimit(.minutes(1))) struct UnknownKeyTests {
    private let keySet: [UInt8]

    init() throws {
        keySet = try SampleKeys.keySet()
    }

    private func flood(_ fixture: KeySetFixture, _ count: Int) async -> [KeySetResult] {
        await withTaskGroup { group in
            for number in 0..<count {
                let service = fixture.services[number % fixture.services.count]
                group.addTask { await service.requestKeys(KeySetFixture.source, because: .unknownKey) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func aFloodOfForgedKeyIDsCostsOneFetchAMinute() async throws {
        let fixture = KeySetFixture(provider: PretendProvider(keySet))
        await fixture.open()
        for minute in 1...5 {
            let answers = await flood(fixture, 2000)
            #expect(answers.allSatisfy { $0 == .nothingNew })
            #expect(fixture.provider.fetches == 1 + minute)
            fixture.clock.advance(by: 59)
            #expect(await flood(fixture, 2000).allSatisfy { $0 == .nothingNew })
            #expect(fixture.provider.fetches == 1 + minute)
            fixture.clock.advance(by: 1)
        }
        await fixture.stop()
    }

    @Test func aFloodAtManyInstancesCostsOneFetchAMinuteForAll() async throws {
        let fixture = KeySetFixture(5, provider: PretendProvider(keySet))
        await fixture.open()
        for minute in 1...3 {
            // An instance may have to look again for the lease or for the result, a quarter of a second at a time. The
            // requests wait for five seconds; the fetch comes however late its task runs, and time passes until then.
            let passing = Task {
                while !Task.isCancelled {
                    await fixture.clock.waitForSleepers(1, after: 0.25)
                    fixture.clock.advance(by: 0.25)
                }
            }
            _ = await flood(fixture, 1000)
            await fixture.provider.waitForFetches(1 + minute)
            passing.cancel()
            await passing.value
            #expect(fixture.provider.fetches == 1 + minute)
            fixture.clock.advance(by: 61)
        }
        #expect(fixture.provider.books.value.mostConcurrent == 1)
        await fixture.stop()
    }

    @Test func aFetchUnderWayIsWaitedForAndShared() async throws {
        let fixture = KeySetFixture(provider: PretendProvider(keySet))
        await fixture.open()
        fixture.provider.hold(true)
        let first = Task { await fixture.services[0].requestKeys(KeySetFixture.source, because: .unknownKey) }
        await fixture.provider.waitForFetches(2)
        let second = Task { await fixture.services[0].requestKeys(KeySetFixture.source, because: .unknownKey) }
        fixture.provider.answer(try SampleKeys.keySet())
        fixture.provider.hold(false)
        #expect(await first.value == .decideAgain)
        #expect([.decideAgain, .nothingNew].contains(await second.value))
        #expect(fixture.provider.fetches == 2)
        await fixture.stop()
    }

    @Test func aProviderThatIsTooSlowIsNotWaitedFor() async throws {
        let fixture = KeySetFixture(provider: PretendProvider(keySet))
        await fixture.open()
        fixture.provider.hold(true)
        let asking = Task { await fixture.services[0].requestKeys(KeySetFixture.source, because: .unknownKey) }
        await fixture.provider.waitForFetches(2)
        await fixture.clock.waitForSleepers(1, after: 5)
        fixture.clock.advance(by: 5)
        #expect(await asking.value == .unavailable(retryAfterSeconds: 5))
        await fixture.stop()
    }

    @Test func aProviderThatIsDownIsNotAskedMoreOftenForIt() async throws {
        let fixture = KeySetFixture(provider: PretendProvider(keySet))
        await fixture.open()
        fixture.provider.fail("answered 500")
        #expect(await flood(fixture, 500).allSatisfy { $0 == .nothingNew })
        #expect(await fixture.services[0].statuses().first?.lastError == "answered 500")
        await fixture.clock.waitForSleepers(1, after: 2880)
        fixture.clock.advance(by: 59)
        #expect(await flood(fixture, 500).allSatisfy { $0 == .nothingNew })
        #expect(fixture.provider.fetches == 2)
        await fixture.stop()
    }

    @Test func withoutTheStoreTheCooldownIsTheProcesss() async throws {
        let fixture = KeySetFixture(provider: PretendProvider(keySet))
        await fixture.open()
        fixture.store.setUp(false)
        _ = await flood(fixture, 500)
        fixture.clock.advance(by: 59.9)
        _ = await flood(fixture, 500)
        #expect(fixture.provider.fetches == 2)
        fixture.clock.advance(by: 0.2)
        _ = await flood(fixture, 500)
        #expect(fixture.provider.fetches == 3)
        await fixture.stop()
    }

    @Test func theCooldownOfTheFleetIsALeaseThatIsNotGivenBack() async throws {
        let fixture = KeySetFixture(2, provider: PretendProvider(keySet))
        await fixture.open()
        #expect(await fixture.services[0].requestKeys(KeySetFixture.source, because: .unknownKey) == .nothingNew)
        // The other one has first heard of the same set under new times.
        await fixture.store.announcements.wait { $0.count == 2 }
        await fixture.deliver(to: [1])
        for _ in 0..<5 {
            #expect(await fixture.services[1].requestKeys(KeySetFixture.source, because: .unknownKey) == .nothingNew)
            fixture.clock.advance(by: 11)
        }
        #expect(fixture.provider.fetches == 2)
        #expect(fixture.store.grants(of: "key-set-unknown") == 1)
        fixture.clock.advance(by: 10)
        #expect(await fixture.services[1].requestKeys(KeySetFixture.source, because: .unknownKey) == .nothingNew)
        #expect(fixture.provider.fetches == 3)
        await fixture.stop()
    }
}
