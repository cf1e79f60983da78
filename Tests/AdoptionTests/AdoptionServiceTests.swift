import Store
import TestSupport
import Testing
import Time

@testable import Adoption
@testable import IdentityProvider

struct AdoptionServiceTests {
    @Test func sessionIsAdoptedOnce() async throws {
        let fixture = try AdoptionFixture()
        let adopter = FakeAdopter()
        let service = try fixture.service(adopter)
        guard case .adopted(let session) = await service.adopt(try fixture.request()) else {
            Issue.record("no session")
            return
        }
        #expect(session.tokens.accessToken == Array("access of s-1".utf8))
        #expect(session.tokens.cookies.map(\.name) == ["access", "refresh"])
        #expect(session.tokens.cookies.map(\.expiresAt) == [AdoptionFixture.now + 1800, AdoptionFixture.now + 86_400])
        for _ in 0..<3 { #expect(await service.adopt(try fixture.request()).session == nil) }
        #expect(adopter.state.value.opened == ["s-1"])
        #expect(service.counted == [.adopted: 1, .repeated: 3])
    }

    @Test func eachTokenOfSessionCountsAsOne() async throws {
        let fixture = try AdoptionFixture()
        let service = try fixture.service(FakeAdopter())
        #expect(await service.adopt(try fixture.request(["sid": "a", "jti": "1"])).session == "s-1")
        #expect(await service.adopt(try fixture.request(["sid": "a", "jti": "2"])).session == nil)
        #expect(await service.adopt(try fixture.request(["sid": "b", "jti": "1"])).session == "s-2")
        // Another subject's session with the same name.
        #expect(await service.adopt(try fixture.request(["sid": "a", "sub": "bob"])).session == "s-3")
    }

    @Test func tokenWithoutSessionIsItsOwn() async throws {
        let fixture = try AdoptionFixture()
        let service = try fixture.service(FakeAdopter())
        #expect(await service.adopt(try fixture.request(["jti": "1"])).session == "s-1")
        #expect(await service.adopt(try fixture.request(["jti": "1", "exp": 1_800_000_900])).session == nil)
        #expect(await service.adopt(try fixture.request(["jti": "2"])).session == "s-2")
        #expect(await service.adopt(try fixture.request(["iat": 1_799_999_000])).session == "s-3")
        #expect(await service.adopt(try fixture.request(["iat": 1_799_999_000])).session == nil)
        #expect(await service.adopt(try fixture.request(["iat": 1_799_999_001])).session == "s-4")
    }

    @Test func oneOfManyInstancesAdopts() async throws {
        let fixture = try AdoptionFixture()
        let adopters = (0..<4).map { FakeAdopter(prefix: "i\($0)") }
        let services = try adopters.map { try fixture.service($0) }
        let request = try fixture.request()
        let sessions = await withTaskGroup(of: String?.self) { group in
            for number in 0..<40 { group.addTask { await services[number % 4].adopt(request).session } }
            return await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
        }
        #expect(sessions.count == 1)
        #expect(adopters.flatMap(\.state.value.opened) == sessions)
        #expect(services.compactMap { $0.counted[.adopted] }.reduce(0, +) == 1)
    }

    @Test func issuerThatIsNotNamedIsLeftAlone() async throws {
        let fixture = try AdoptionFixture()
        let adopter = FakeAdopter()
        var request = try fixture.request()
        request.tenant = 7
        #expect(await (try fixture.service(adopter)).adopt(request).retryAfter == nil)
        #expect(adopter.state.value.opened.isEmpty)
    }

    @Test func tokenMayBeAskedAboutAgainWhenItsSuccessorHasExpired() async throws {
        let fixture = try AdoptionFixture()
        let service = try fixture.service(FakeAdopter())
        _ = await service.adopt(try fixture.request())
        fixture.clock.advance(by: 120)
        let retry = try #require(await service.adopt(try fixture.request()).retryAfter)
        #expect(abs(retry - 1800) < 2)
    }

    // MARK: What gets lost

    @Test func unusedSessionIsReplacedAtMostTwice() async throws {
        let fixture = try AdoptionFixture()
        let adopter = FakeAdopter()
        let service = try fixture.service(adopter)
        var sessions: [String?] = []
        for _ in 0..<5 {
            sessions.append(await service.adopt(try fixture.request()).session)
            fixture.clock.advance(by: 4000)
        }
        #expect(sessions == ["s-1", "s-2", "s-3", nil, nil])
        // Whoever got the tokens of an earlier one after all signs in again.
        #expect(adopter.state.value.ended == ["s-1", "s-2"])
    }

    @Test func usedSessionIsNeverReplaced() async throws {
        let fixture = try AdoptionFixture()
        let adopter = FakeAdopter()
        let service = try fixture.service(adopter)
        _ = await service.adopt(try fixture.request())
        adopter.state.update { _ = $0.used.insert("s-1") }
        fixture.clock.advance(by: 4000)
        #expect(await service.adopt(try fixture.request()).session == nil)
        // That is not asked again.
        adopter.state.update { $0.used = [] }
        fixture.clock.advance(by: 4000)
        let other = try fixture.service(adopter)
        #expect(await other.adopt(try fixture.request()).session == nil)
    }

    @Test func oldTokenDoesNotUndoSignOut() async throws {
        let fixture = try AdoptionFixture()
        let adopter = FakeAdopter()
        _ = await (try fixture.service(adopter)).adopt(try fixture.request())
        await adopter.end("s-1", because: "signed out", at: AdoptionFixture.now)
        for _ in 0..<3 {
            fixture.clock.advance(by: 4000)
            #expect(await (try fixture.service(adopter)).adopt(try fixture.request()).session == nil)
        }
    }

    @Test func sessionThatIsGivenBackEndsAndMakesRoomForAnother() async throws {
        let fixture = try AdoptionFixture()
        let adopter = FakeAdopter()
        let service = try fixture.service(adopter)
        for number in 1...5 {
            guard case .adopted(let session) = await service.adopt(try fixture.request()) else {
                Issue.record("no session \(number)")
                return
            }
            await service.giveBack(session)
        }
        #expect(adopter.state.value.ended == ["s-1", "s-2", "s-3", "s-4", "s-5"])
    }

    @Test func instanceThatDiesLeavesItsClaimToOthers() async throws {
        let fixture = try AdoptionFixture()
        let dead = FakeAdopter()
        dead.state.update { $0.isOpen = false }
        let service = try fixture.service(dead)
        let request = try fixture.request()
        let task = Task { await service.adopt(request).session }
        await dead.state.wait { $0.waiting == 1 }
        let other = try fixture.service(FakeAdopter(prefix: "other"))
        #expect(await other.adopt(request).session == nil)
        fixture.clock.advance(by: 16)
        #expect(await other.adopt(request).session == "other-1")
        // It was not dead, only slow: nobody waits for its session, which ends.
        dead.state.update {
            $0.isStubborn = true
            $0.isOpen = true
        }
        await dead.state.wait { $0.ended == ["s-1"] }
        #expect(await task.value == nil)
        #expect(try await fixture.record(request)?.sessions == 1)
    }

    // MARK: What fails

    @Test func storeOutageOnlyPostponesAdoption() async throws {
        let store = FailingStore()
        let fixture = try AdoptionFixture(store: store)
        let adopter = FakeAdopter()
        let service = try fixture.service(adopter)
        store.cut()
        #expect(await service.adopt(try fixture.request()).retryAfter == 30)
        store.heal()
        // The store is not asked with each request.
        #expect(await service.adopt(try fixture.request()).retryAfter == 5)
        #expect(await service.adopt(try fixture.request(["sid": "another"])).retryAfter == 5)
        fixture.clock.advance(by: 5)
        #expect(await service.adopt(try fixture.request()).session == "s-1")
        #expect(service.counted == [.failed: 1, .adopted: 1])
    }

    @Test func unreadableRecordIsNoReasonForAnotherSession() async throws {
        let fixture = try AdoptionFixture()
        let service = try fixture.service(FakeAdopter())
        let request = try fixture.request()
        _ = await service.adopt(request)
        let page = try await fixture.store.keys(ofTenant: "app", kind: "adoption", cursor: nil, limit: 10)
        let key = try #require(page.keys.first)
        try await fixture.store.set(Array("later version".utf8), for: key, lifetime: nil)
        let other = try fixture.service(FakeAdopter())
        #expect(await other.adopt(request).retryAfter == 30)
        #expect(other.counted == [.failed: 1])
    }

    @Test func slowHookLetsResponseGo() async throws {
        let fixture = try AdoptionFixture()
        let adopter = FakeAdopter()
        adopter.state.update { $0.isOpen = false }
        let service = try fixture.service(adopter)
        let request = try fixture.request()
        let task = Task { await service.adopt(request).retryAfter }
        await adopter.state.wait { $0.waiting == 1 }
        fixture.clock.advance(by: 2)
        #expect(await task.value == 30)
        adopter.state.update { $0.isOpen = true }
        // The claim was given up, and the session was not begun.
        while try await fixture.record(request)?.state != .opening(by: "", until: fixture.clock.unix) {
            await Task.yield()
        }
        #expect(adopter.state.value.opened.isEmpty)
        // Soon it is tried again.
        var session: String?
        while session == nil {
            fixture.clock.advance(by: 10)
            session = await service.adopt(request).session
            await Task.yield()
        }
        #expect(session == "s-1")
    }

    @Test func refusalHoldsOnAllInstancesForTenMinutes() async throws {
        let fixture = try AdoptionFixture()
        let adopter = FakeAdopter()
        adopter.state.update { $0.failure = .notAllowed }
        let (first, second) = (try fixture.service(adopter), try fixture.service(adopter))
        #expect(await first.adopt(try fixture.request()).retryAfter == 600)
        #expect(first.counted == [.refused: 1])
        adopter.state.update { $0.failure = nil }
        let retry = try #require(await second.adopt(try fixture.request()).retryAfter)
        #expect(abs(retry - 600) < 1)
        fixture.clock.advance(by: 601)
        #expect(await second.adopt(try fixture.request()).session == "s-1")
    }

    @Test func failingHookIsAskedByOneRequestInFiveSeconds() async throws {
        let fixture = try AdoptionFixture()
        let adopter = FakeAdopter()
        adopter.state.update { $0.failure = .hookUnavailable }
        let service = try fixture.service(adopter)
        for name in ["a", "b", "c"] { _ = await service.adopt(try fixture.request(["sid": .string(name)])) }
        #expect(adopter.state.value.waiting == 1)
        fixture.clock.advance(by: 5)
        adopter.state.update { $0.failure = nil }
        #expect(await service.adopt(try fixture.request(["sid": "a"])).session == "s-1")
    }

    @Test func reloadForgetsNothing() async throws {
        let fixture = try AdoptionFixture()
        let adopter = FakeAdopter()
        let before = try fixture.service(adopter)
        _ = await before.adopt(try fixture.request())
        let after = try fixture.service(adopter, previous: before)
        #expect(await after.adopt(try fixture.request()).session == nil)
        #expect(after.counted == [.adopted: 1, .repeated: 1])
    }

    @Test func adoptionIsLoggedWithoutTokens() async throws {
        let fixture = try AdoptionFixture()
        let log = RecordedLog()
        _ = await (try fixture.service(FakeAdopter(), log: log)).adopt(try fixture.request())
        let text = log.lines.joined()
        #expect(text.contains("a session of a former issuer is adopted") && text.contains("s-1"))
        #expect(!text.contains("access of"))
    }
}
