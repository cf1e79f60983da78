import Store
import TestSupport
import Testing
import Verification

@testable import SharedState

/// Failures between instances: dead lease holders, lost announcements, a store that is away.
@Suite(.timeLimit(.minutes(2)))
struct RefreshFleetTests {
    @Test func leaseOfADeadHolderIsTakenOver() async throws {
        let fixture = try RefreshFixture(2)
        // A holder that will not be heard of again.
        let lease = try await fixture.store.acquire(fixture.keys().lease, for: .seconds(3))
        #expect(lease != nil)
        let request = try fixture.request()
        async let first = fixture.services[0].refresh(request).text
        async let second = fixture.services[1].refresh(request).text
        await fixture.clock.waitForSleepers(2, after: 3.25)
        #expect(fixture.provider.calls == 0)
        fixture.clock.advance(by: 3.25)
        let answers = await [first, second].sorted()
        #expect(answers == ["2", "2 shared"])
        #expect(fixture.provider.calls == 1)
    }

    @Test func lostAnnouncementDelaysNoLongerThanTheLease() async throws {
        let fixture = try RefreshFixture(2, deliversAnnouncements: false)
        fixture.provider.hold()
        let request = try fixture.request()
        async let first = fixture.services[0].refresh(request).text
        await fixture.provider.called(1)
        async let second = fixture.services[1].refresh(request).text
        await fixture.clock.waitForSleepers(1, after: 3.25)
        fixture.provider.release()
        #expect(await first == "2")
        await fixture.store.announcements.wait { !$0.isEmpty }
        fixture.clock.advance(by: 3.25)
        #expect(await second == "2 shared")
        #expect(fixture.provider.calls == 1)
    }

    @Test func leaseIsRenewedDuringASlowCall() async throws {
        let fixture = try RefreshFixture(2)
        fixture.provider.hold()
        let request = try fixture.request()
        async let first = fixture.services[0].refresh(request).text
        await fixture.provider.called(1)
        for _ in 0..<8 {
            await fixture.clock.waitForSleepers(1, after: 1)
            fixture.clock.advance(by: 1)
        }
        async let second = fixture.services[1].refresh(request).text
        await fixture.clock.waitForSleepers(1, after: 3.25)
        fixture.provider.release()
        #expect(await [first, second] == ["2", "2 shared"])
        #expect(fixture.provider.calls == 1)
    }

    @Test func resultOfALostLeaseIsFoundByTheNextHolder() async throws {
        let fixture = try RefreshFixture(2, deliversAnnouncements: false)
        fixture.provider.hold()
        let request = try fixture.request(patience: 100)
        async let first = fixture.services[0].refresh(request).text
        await fixture.provider.called(1)
        await fixture.clock.waitForSleepers(1, after: 1)
        // As if the machine had slept: the lease expires before it can be renewed.
        fixture.clock.advance(by: 4)
        let taken = try #require(try await fixture.store.acquire(fixture.keys().lease, for: .seconds(3)))
        fixture.provider.release()
        await fixture.clock.waitForSleepers(1, after: 3.25)
        try await fixture.store.release(taken)
        fixture.clock.advance(by: 3.25)
        #expect(await first == "2")
        #expect(await fixture.services[1].refresh(request).text == "2 shared")
        #expect(fixture.provider.calls == 1)
    }

    @Test func callIsMadeWithoutTheStoreAfterItsOutageLimit() async throws {
        let fixture = try RefreshFixture()
        fixture.store.setUp(false)
        let request = try fixture.request()
        async let answers = withTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { await fixture.services[0].refresh(request).text } }
            return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        for _ in 0..<8 {
            await fixture.clock.waitForSleepers(1, after: 0.25)
            #expect(fixture.provider.calls == 0)
            fixture.clock.advance(by: 0.25)
        }
        #expect(await answers == ["2": 1, "2 shared": 49])
        #expect(fixture.provider.calls == 1)
    }

    @Test func returningStoreGetsUnstoredResult() async throws {
        let fixture = try RefreshFixture(2)
        fixture.provider.hold()
        let request = try fixture.request()
        async let first = fixture.services[0].refresh(request).text
        await fixture.provider.called(1)
        fixture.store.setUp(false)
        fixture.provider.release()
        #expect(await first == "2")
        await fixture.storeComesBack()
        #expect(await fixture.services[1].refresh(request).text == "2 shared")
        #expect(fixture.provider.calls == 1)
    }

    @Test func knownHolderPreventsACallWithoutTheStore() async throws {
        let fixture = try RefreshFixture()
        _ = try await fixture.store.acquire(fixture.keys().lease, for: .seconds(3))
        let request = try fixture.request(patience: 20)
        async let answer = fixture.services[0].refresh(request).text
        await fixture.clock.waitForSleepers(1, after: 3.25)
        fixture.store.setUp(false)
        fixture.clock.advance(by: 3.25)
        for _ in 0..<12 {
            await fixture.clock.waitForSleepers(1, after: 0.25)
            fixture.clock.advance(by: 0.25)
        }
        #expect(fixture.provider.calls == 0)
        fixture.clock.advance(by: 15)
        #expect(await answer == "unavailable late")
        #expect(fixture.provider.calls == 0)
    }

    @Test func unreadableResultPreventsAnotherPresentation() async throws {
        let fixture = try RefreshFixture(2, isSealed: false)
        _ = await fixture.services[0].refresh(try fixture.request())
        let other = try fixture.request(refresh: Array("another client's".utf8))
        #expect(await fixture.services[1].refresh(other).text == "unavailable store_unavailable")
        #expect(fixture.provider.calls == 1)
    }

    @Test(arguments: [true, false])
    func storeContainsNoReadableToken(isSealed: Bool) async throws {
        let fixture = try RefreshFixture(isSealed: isSealed)
        _ = await fixture.services[0].refresh(try fixture.request())
        let bytes = try #require(try await fixture.store.value(for: fixture.keys().result))
        let text = String(decoding: bytes, as: UTF8.self)
        let token = String(decoding: RefreshTokens.access("s1", 2), as: UTF8.self)
        #expect(!text.contains(token.prefix(20)) && !text.contains("refresh."))
    }
}
