import Store
import TestSupport
import Testing
import Time
import Verification

@testable import SharedState

/// One instance and several, with everything in order or with what providers do.
@Suite(.timeLimit(.minutes(2)))
struct RefreshKeeperTests {
    @Test(arguments: [true, false])
    func aThousandRequestsOfThreeInstancesMakeOneCall(isSealed: Bool) async throws {
        let house = try RefreshHouse(3, isSealed: isSealed)
        house.provider.hold()
        let request = try house.request()
        let answers = await withTaskGroup(of: String.self) { group in
            for index in 0..<600 {
                let keeper = house.keepers[index % 3]
                group.addTask { await keeper.refresh(request).text }
            }
            await house.provider.called(1)
            house.provider.letGo()
            return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(answers == ["2": 1, "2 shared": 599])
        #expect(house.provider.calls == 1)
        #expect(house.provider.state.value.ended.isEmpty)
        var started: UInt64 = 0
        for keeper in house.keepers { started += await keeper.counts[0]?["started"] ?? 0 }
        #expect(started == 1)
    }

    @Test func theResultServesForHalfAMinuteAndThenTheTokenIsKnownToBeSpent() async throws {
        let house = try RefreshHouse(2)
        let request = try house.request(patience: 1000)
        #expect(await house.keepers[0].refresh(request).text == "2")
        house.clock.advance(by: 29)
        #expect(await house.keepers[0].refresh(request).text == "2 shared")
        #expect(await house.keepers[1].refresh(request).text == "2 shared")
        house.clock.advance(by: 2)
        for keeper in house.keepers { #expect(await keeper.refresh(request).text == "unavailable spent_token") }
        #expect(house.provider.calls == 1)
    }

    @Test func aTokenThatWasJustBroughtIsNotRefreshedForThe401ButWhenItExpires() async throws {
        let house = try RefreshHouse(2)
        _ = await house.keepers[0].refresh(try house.request())
        let access = RefreshTokens.access("s1", 2)
        let refresh = RefreshTokens.refresh("s1", 2)
        for keeper in house.keepers {
            let request = try house.request(access: access, refresh: refresh)
            #expect(await keeper.refresh(request).text == "unavailable just_refreshed")
        }
        let expired = try house.request(access: access, refresh: refresh, trigger: .expired)
        #expect(await house.keepers[1].refresh(expired).text == "3")
        await house.store.announcements.wait { $0.count == 2 }
        let word = try #require(house.store.announcements.value.last)
        await house.keepers[0].announced(word.subject)
        // Whoever still has the first gets the latest, also from the instance that made the second.
        #expect(await house.keepers[0].refresh(try house.request()).text == "3 shared")
    }

    @Test func whatFailsIsTriedThreeTimesASecondApart() async throws {
        let house = try RefreshHouse()
        house.provider.script(.failure(.providerFailed), .failure(.network))
        let request = try house.request()
        async let answer = house.keepers[0].refresh(request).text
        for call in 1...2 {
            await house.provider.called(call)
            await house.clock.waitForSleepers(2, after: 1)
            house.clock.advance(by: 1)
        }
        #expect(await answer == "2")
        #expect(house.provider.calls == 3)
    }

    @Test func aFailureIsRememberedEverywhereForThreeSeconds() async throws {
        let house = try RefreshHouse(2)
        house.provider.script(.failure(.garbledAnswer))
        let request = try house.request(patience: 100)
        for keeper in house.keepers { #expect(await keeper.refresh(request).text == "unavailable garbled_answer") }
        #expect(house.provider.calls == 1)
        house.clock.advance(by: 3.5)
        #expect(await house.keepers[1].refresh(request).text == "2")
    }

    @Test func aRefusalEndsTheSessionAndIsKnownEverywhere() async throws {
        let house = try RefreshHouse(2)
        house.provider.script(.refusal)
        #expect(await house.keepers[0].refresh(try house.request()).text == "refused refused")
        #expect(house.ended.value.count == 1)
        #expect(await house.keepers[1].refresh(try house.request()).text == "refused revoked")
        #expect(house.provider.calls == 1)
    }

    @Test func aRefusalAheadOfTimeLeavesTheOldTokenGoodUntilSomebodyNeedsMore() async throws {
        let house = try RefreshHouse(2)
        house.provider.script(.refusal)
        #expect(await house.keepers[0].refresh(try house.request(trigger: .ahead)).text == "refused refused")
        #expect(house.ended.value.isEmpty)
        #expect(await house.keepers[1].refresh(try house.request()).text == "refused refused")
        #expect(house.ended.value.count == 1)
        #expect(house.provider.calls == 1)
    }

    @Test func anotherSubjectIsRefused() async throws {
        let house = try RefreshHouse()
        let other = RefreshTokens.access("s1", 2, subject: "bob")
        house.provider.script(.other(ReceivedTokens(accessToken: other, refreshToken: nil, cookies: [])))
        #expect(await house.keepers[0].refresh(try house.request()).text == "unavailable other_subject")
        #expect(try await house.store.value(for: house.keys().result) == nil)
    }

    @Test(arguments: [
        (RefreshTokens.access("s1"), "same_token"), (Array("no token".utf8), "bad_token"),
        (RefreshTokens.access("s1", 2, expiresAt: RefreshTokens.now - 1), "bad_token"),
    ])
    func whatIsNoGoodTokenIsNotHandedOut(token: [UInt8], reason: String) async throws {
        let house = try RefreshHouse()
        house.provider.script(.other(ReceivedTokens(accessToken: token, refreshToken: nil, cookies: [])))
        #expect(await house.keepers[0].refresh(try house.request()).text == "unavailable \(reason)")
    }

    @Test func whoCannotWaitLongerIsToldSoAndTheRefreshGoesOn() async throws {
        let house = try RefreshHouse()
        house.provider.hold()
        let request = try house.request(patience: 2)
        async let answer = house.keepers[0].refresh(request).text
        await house.provider.called(1)
        await house.clock.waitForSleepers(1, after: 2)
        house.clock.advance(by: 2)
        #expect(await answer == "unavailable late")
        house.provider.letGo()
        await house.store.announcements.wait { !$0.isEmpty }
        #expect(await house.keepers[0].refresh(try house.request()).text == "2 shared")
    }

    @Test func aCookieThatIsMissingCannotBeRefreshed() async throws {
        let house = try RefreshHouse()
        let request = try house.request(refresh: .some(nil))
        #expect(await house.keepers[0].refresh(request).text == "unavailable no_refresh_token")
        #expect(house.provider.calls == 0)
    }

    @Test func ofTwoThousandSessionsThirtyTwoAreCalledForAtOnce() async throws {
        let house = try RefreshHouse(source: .none, provider: PretendIssuer(rotates: false))
        house.provider.hold()
        let requests = try (0..<2000).map { try house.request("s\($0)", refresh: .some(nil)) }
        let renewed = await withTaskGroup(of: Bool.self) { group in
            for request in requests { group.addTask { await house.keepers[0].refresh(request).text == "2" } }
            await house.provider.called(32)
            house.provider.letGo()
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(renewed == 2000)
        #expect(house.provider.calls == 2000)
        #expect(house.provider.state.value.mostUnderWay == 32)
    }

    @Test func aResultMadeAheadServesUntilTheOldTokenIsOfNoUse() async throws {
        let house = try RefreshHouse(2)
        let access = RefreshTokens.access("s1", 1, expiresAt: RefreshTokens.now + 100)
        let request = try house.request(access: access, trigger: .ahead, patience: 10_000)
        #expect(await house.keepers[0].refresh(request).text == "2")
        house.clock.advance(by: 700)
        #expect(await house.keepers[0].refresh(request).text == "2 shared")
        house.clock.advance(by: 61)
        #expect(await house.keepers[1].refresh(request).text == "unavailable spent_token")
    }
}
