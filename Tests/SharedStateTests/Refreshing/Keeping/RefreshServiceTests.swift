import Store
import TestSupport
import Testing
import Time
import Verification

@testable import SharedState

/// One instance and several, with everything in order or with what providers do.
@Suite(.timeLimit(.minutes(2)))
struct RefreshServiceTests {
    @Test(arguments: [true, false])
    func aThousandRequestsOfThreeInstancesMakeOneCall(isSealed: Bool) async throws {
        let fixture = try RefreshFixture(3, isSealed: isSealed)
        fixture.provider.hold()
        let request = try fixture.request()
        let answers = await withTaskGroup(of: String.self) { group in
            for index in 0..<600 {
                let service = fixture.services[index % 3]
                group.addTask { await service.refresh(request).text }
            }
            await fixture.provider.called(1)
            fixture.provider.release()
            return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(answers == ["2": 1, "2 shared": 599])
        #expect(fixture.provider.calls == 1)
        #expect(fixture.provider.state.value.ended.isEmpty)
        var started: UInt64 = 0
        for service in fixture.services { started += await service.counts[0]?["started"] ?? 0 }
        #expect(started == 1)
    }

    @Test func resultIsUsableForThirtySecondsThenTheTokenIsSpent() async throws {
        let fixture = try RefreshFixture(2)
        let request = try fixture.request(patience: 1000)
        #expect(await fixture.services[0].refresh(request).text == "2")
        fixture.clock.advance(by: 29)
        #expect(await fixture.services[0].refresh(request).text == "2 shared")
        #expect(await fixture.services[1].refresh(request).text == "2 shared")
        fixture.clock.advance(by: 2)
        for service in fixture.services { #expect(await service.refresh(request).text == "unavailable spent_token") }
        #expect(fixture.provider.calls == 1)
    }

    @Test func newTokenIsNotRefreshedForA401ButWhenItExpires() async throws {
        let fixture = try RefreshFixture(2)
        _ = await fixture.services[0].refresh(try fixture.request())
        let access = RefreshTokens.access("s1", 2)
        let refresh = RefreshTokens.refresh("s1", 2)
        for service in fixture.services {
            let request = try fixture.request(access: access, refresh: refresh)
            #expect(await service.refresh(request).text == "unavailable just_refreshed")
        }
        let expired = try fixture.request(access: access, refresh: refresh, trigger: .expired)
        #expect(await fixture.services[1].refresh(expired).text == "3")
        await fixture.store.announcements.wait { $0.count == 2 }
        let announcement = try #require(fixture.store.announcements.value.last)
        await fixture.services[0].announced(announcement.subject)
        // A client that still has the first gets the latest, also from the instance that made the second.
        #expect(await fixture.services[0].refresh(try fixture.request()).text == "3 shared")
    }

    @Test func failedCallIsTriedThreeTimes() async throws {
        let fixture = try RefreshFixture()
        fixture.provider.script(.failure(.providerFailed), .failure(.network))
        let request = try fixture.request()
        async let answer = fixture.services[0].refresh(request).text
        for call in 1...2 {
            await fixture.provider.called(call)
            await fixture.clock.waitForSleepers(2, after: 1)
            fixture.clock.advance(by: 1)
        }
        #expect(await answer == "2")
        #expect(fixture.provider.calls == 3)
    }

    @Test func failureIsRememberedByAllInstancesForThreeSeconds() async throws {
        let fixture = try RefreshFixture(2)
        fixture.provider.script(.failure(.garbledAnswer))
        let request = try fixture.request(patience: 100)
        for service in fixture.services { #expect(await service.refresh(request).text == "unavailable garbled_answer") }
        #expect(fixture.provider.calls == 1)
        fixture.clock.advance(by: 3.5)
        #expect(await fixture.services[1].refresh(request).text == "2")
    }

    @Test func refusalEndsTheSessionOnAllInstances() async throws {
        let fixture = try RefreshFixture(2)
        fixture.provider.script(.refusal)
        #expect(await fixture.services[0].refresh(try fixture.request()).text == "refused refused")
        #expect(fixture.ended.value.count == 1)
        #expect(await fixture.services[1].refresh(try fixture.request()).text == "refused revoked")
        #expect(fixture.provider.calls == 1)
    }

    @Test func refusalAheadOfTimeLeavesTheOldTokenValid() async throws {
        let fixture = try RefreshFixture(2)
        fixture.provider.script(.refusal)
        #expect(await fixture.services[0].refresh(try fixture.request(trigger: .ahead)).text == "refused refused")
        #expect(fixture.ended.value.isEmpty)
        #expect(await fixture.services[1].refresh(try fixture.request()).text == "refused refused")
        #expect(fixture.ended.value.count == 1)
        #expect(fixture.provider.calls == 1)
    }

    @Test func anotherSubjectIsRefused() async throws {
        let fixture = try RefreshFixture()
        let other = RefreshTokens.access("s1", 2, subject: "bob")
        fixture.provider.script(.other(ReceivedTokens(accessToken: other, refreshToken: nil, cookies: [])))
        #expect(await fixture.services[0].refresh(try fixture.request()).text == "unavailable other_subject")
        #expect(try await fixture.store.value(for: fixture.keys().result) == nil)
    }

    @Test(arguments: [
        (RefreshTokens.access("s1"), "same_token"), (Array("no token".utf8), "bad_token"),
        (RefreshTokens.access("s1", 2, expiresAt: RefreshTokens.now - 1), "bad_token"),
    ])
    func whatIsNoGoodTokenIsNotHandedOut(token: [UInt8], reason: String) async throws {
        let fixture = try RefreshFixture()
        fixture.provider.script(.other(ReceivedTokens(accessToken: token, refreshToken: nil, cookies: [])))
        #expect(await fixture.services[0].refresh(try fixture.request()).text == "unavailable \(reason)")
    }

    @Test func refreshOutlivesTheRequestsDeadline() async throws {
        let fixture = try RefreshFixture()
        fixture.provider.hold()
        let request = try fixture.request(patience: 2)
        async let answer = fixture.services[0].refresh(request).text
        await fixture.provider.called(1)
        await fixture.clock.waitForSleepers(1, after: 2)
        fixture.clock.advance(by: 2)
        #expect(await answer == "unavailable late")
        fixture.provider.release()
        await fixture.store.announcements.wait { !$0.isEmpty }
        #expect(await fixture.services[0].refresh(try fixture.request()).text == "2 shared")
    }

    @Test func missingCookieCannotBeRefreshed() async throws {
        let fixture = try RefreshFixture()
        let request = try fixture.request(refresh: .some(nil))
        #expect(await fixture.services[0].refresh(request).text == "unavailable no_refresh_token")
        #expect(fixture.provider.calls == 0)
    }

    @Test func callsAtOnceAreLimitedTo32() async throws {
        let fixture = try RefreshFixture(source: .none, provider: PretendIssuer(rotates: false))
        fixture.provider.hold()
        let requests = try (0..<2000).map { try fixture.request("s\($0)", refresh: .some(nil)) }
        let renewed = await withTaskGroup(of: Bool.self) { group in
            for request in requests { group.addTask { await fixture.services[0].refresh(request).text == "2" } }
            await fixture.provider.called(32)
            fixture.provider.release()
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(renewed == 2000)
        #expect(fixture.provider.calls == 2000)
        #expect(fixture.provider.state.value.mostCalls == 32)
    }

    @Test func resultMadeAheadIsUsableUntilTheOldTokenExpires() async throws {
        let fixture = try RefreshFixture(2)
        let access = RefreshTokens.access("s1", 1, expiresAt: RefreshTokens.now + 100)
        let request = try fixture.request(access: access, trigger: .ahead, patience: 10_000)
        #expect(await fixture.services[0].refresh(request).text == "2")
        fixture.clock.advance(by: 700)
        #expect(await fixture.services[0].refresh(request).text == "2 shared")
        fixture.clock.advance(by: 61)
        #expect(await fixture.services[1].refresh(request).text == "unavailable spent_token")
    }
}
