import Store
import TestSupport
import Testing
import Verification

@testable import SharedState

/// What may go wrong between instances: holders that die, words that are lost, a store that is away.
@Suite(.timeLimit(.minutes(2)))
struct RefreshFleetTests {
    @Test func aDeadHoldersLeaseIsWaitedOutAndTakenOver() async throws {
        let house = try RefreshHouse(2)
        // A holder that will not be heard of again.
        let lease = try await house.store.acquire(house.keys().lease, for: .seconds(3))
        #expect(lease != nil)
        let request = try house.request()
        async let first = house.keepers[0].refresh(request).text
        async let second = house.keepers[1].refresh(request).text
        await house.clock.waitForSleepers(2, after: 3.25)
        #expect(house.provider.calls == 0)
        house.clock.advance(by: 3.25)
        let answers = await [first, second].sorted()
        #expect(answers == ["2", "2 shared"])
        #expect(house.provider.calls == 1)
    }

    @Test func aLostWordCostsNoMoreThanTheLease() async throws {
        let house = try RefreshHouse(2, tellsWords: false)
        house.provider.hold()
        let request = try house.request()
        async let first = house.keepers[0].refresh(request).text
        await house.provider.called(1)
        async let second = house.keepers[1].refresh(request).text
        await house.clock.waitForSleepers(1, after: 3.25)
        house.provider.letGo()
        #expect(await first == "2")
        await house.store.announcements.wait { !$0.isEmpty }
        house.clock.advance(by: 3.25)
        #expect(await second == "2 shared")
        #expect(house.provider.calls == 1)
    }

    @Test func theLeaseIsRenewedWhileTheProviderThinks() async throws {
        let house = try RefreshHouse(2)
        house.provider.hold()
        let request = try house.request()
        async let first = house.keepers[0].refresh(request).text
        await house.provider.called(1)
        for _ in 0..<8 {
            await house.clock.waitForSleepers(1, after: 1)
            house.clock.advance(by: 1)
        }
        async let second = house.keepers[1].refresh(request).text
        await house.clock.waitForSleepers(1, after: 3.25)
        house.provider.letGo()
        #expect(await [first, second] == ["2", "2 shared"])
        #expect(house.provider.calls == 1)
    }

    @Test func whoLostTheLeaseMeanwhileKeepsWhatItGotAndTheLaterOneFindsIt() async throws {
        let house = try RefreshHouse(2, tellsWords: false)
        house.provider.hold()
        let request = try house.request(patience: 100)
        async let first = house.keepers[0].refresh(request).text
        await house.provider.called(1)
        await house.clock.waitForSleepers(1, after: 1)
        // As if the machine had slept: the lease runs out before it can be renewed.
        house.clock.advance(by: 4)
        let taken = try #require(try await house.store.acquire(house.keys().lease, for: .seconds(3)))
        house.provider.letGo()
        await house.clock.waitForSleepers(1, after: 3.25)
        try await house.store.release(taken)
        house.clock.advance(by: 3.25)
        #expect(await first == "2")
        #expect(await house.keepers[1].refresh(request).text == "2 shared")
        #expect(house.provider.calls == 1)
    }

    @Test func aStoreThatIsAwayIsWaitedForAndThenTheProcessGoesAlone() async throws {
        let house = try RefreshHouse()
        house.store.setUp(false)
        let request = try house.request()
        async let answers = withTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { await house.keepers[0].refresh(request).text } }
            return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        for _ in 0..<8 {
            await house.clock.waitForSleepers(1, after: 0.25)
            #expect(house.provider.calls == 0)
            house.clock.advance(by: 0.25)
        }
        #expect(await answers == ["2": 1, "2 shared": 49])
        #expect(house.provider.calls == 1)
    }

    @Test func whatTheStoreMissedItGetsWhenItIsBack() async throws {
        let house = try RefreshHouse(2)
        house.provider.hold()
        let request = try house.request()
        async let first = house.keepers[0].refresh(request).text
        await house.provider.called(1)
        house.store.setUp(false)
        house.provider.letGo()
        #expect(await first == "2")
        await house.storeComesBack()
        #expect(await house.keepers[1].refresh(request).text == "2 shared")
        #expect(house.provider.calls == 1)
    }

    @Test func whoHasSeenAHolderDoesNotGoAlone() async throws {
        let house = try RefreshHouse()
        _ = try await house.store.acquire(house.keys().lease, for: .seconds(3))
        let request = try house.request(patience: 20)
        async let answer = house.keepers[0].refresh(request).text
        await house.clock.waitForSleepers(1, after: 3.25)
        house.store.setUp(false)
        house.clock.advance(by: 3.25)
        for _ in 0..<12 {
            await house.clock.waitForSleepers(1, after: 0.25)
            house.clock.advance(by: 0.25)
        }
        #expect(house.provider.calls == 0)
        house.clock.advance(by: 15)
        #expect(await answer == "unavailable late")
        #expect(house.provider.calls == 0)
    }

    @Test func aResultThatCannotBeOpenedKeepsTheTokenFromBeingPresented() async throws {
        let house = try RefreshHouse(2, isSealed: false)
        _ = await house.keepers[0].refresh(try house.request())
        let other = try house.request(refresh: Array("another client's".utf8))
        #expect(await house.keepers[1].refresh(other).text == "unavailable store_unavailable")
        #expect(house.provider.calls == 1)
    }

    @Test(arguments: [true, false])
    func theStoreShowsNoToken(isSealed: Bool) async throws {
        let house = try RefreshHouse(isSealed: isSealed)
        _ = await house.keepers[0].refresh(try house.request())
        let bytes = try #require(try await house.store.value(for: house.keys().result))
        let text = String(decoding: bytes, as: UTF8.self)
        let token = String(decoding: RefreshTokens.access("s1", 2), as: UTF8.self)
        #expect(!text.contains(token.prefix(20)) && !text.contains("refresh."))
    }
}
