import Store
import Tenants
import TestSupport
import Testing
import Time
import Verification

@testable import SharedState

/// A refresh token that rotates is presented once, and its successor is not lost.
@Suite(.timeLimit(.minutes(2)))
struct RefreshRotationTests {
    private static let useless = ReceivedTokens(
        accessToken: Array("no token".utf8),
        refreshToken: RefreshTokens.refresh("s1", 2),
        cookies: []
    )

    /// It came with an access token that is of no use; a later try presents it.
    @Test(arguments: [RefreshTokenSource.cookie(name: "refresh"), .vault])
    func aSuccessorThatCameWithAUselessTokenIsKept(source: RefreshTokenSource) async throws {
        let house = try RefreshHouse(source: source)
        let access = RefreshTokens.access("s1")
        let token = RefreshTokens.refresh("s1")
        let principal = try RefreshTokens.oldPrincipal(access)
        let keeper = house.keepers[0]
        _ = await keeper.capture(tenant: 0, accessToken: access, principal: principal, refreshToken: token)
        house.provider.state.update { state in
            state.script = [.other(Self.useless)]
            state.current["s1"] = 2
        }
        let request = try house.request(refresh: .some(source == .vault ? nil : token), patience: 1000)
        #expect(await keeper.refresh(request).text == "unavailable bad_token")
        house.clock.advance(by: 4)
        #expect(await keeper.refresh(request).text == "3")
        #expect(house.provider.state.value.presented == [token, RefreshTokens.refresh("s1", 2)])
        #expect(house.provider.state.value.ended.isEmpty)
        house.clock.advance(by: 40)
        guard source != .vault else { return }
        #expect(await keeper.refresh(request).text == "unavailable spent_token")
    }

    @Test func aSpentTokenIsKnownForAMonth() async throws {
        let house = try RefreshHouse(2)
        #expect(await house.keepers[0].refresh(try house.request()).text == "2")
        house.clock.advance(by: 29 * 86_400)
        for keeper in house.keepers {
            #expect(await keeper.refresh(try house.request()).text == "unavailable spent_token")
        }
        let tenant = RefreshTenant(
            name: "chat",
            source: .vault,
            leeway: 60,
            grace: 60 * 86_400,
            withoutStore: .refuse
        )
        #expect(tenant.spentLifetime == 60 * 86_400 + 60)
    }

    /// One that was got ahead is kept for long; so is one that its key was withdrawn for.
    @Test func anOldResultThatIsNoGoodAnyMoreIsInNobodysWay() async throws {
        let house = try RefreshHouse(2, source: .none)
        let access = RefreshTokens.access("s1", 1, expiresAt: RefreshTokens.now + 5000)
        let short = RefreshTokens.access("s1", 2, expiresAt: RefreshTokens.now + 100)
        house.provider.script(.other(ReceivedTokens(accessToken: short, refreshToken: nil, cookies: [])))
        let request = try house.request(access: access, refresh: .some(nil), trigger: .ahead, patience: 10_000)
        #expect(await house.keepers[0].refresh(request).text == "2")
        let keys = try house.keys()
        let bytes = try #require(try await house.store.value(for: keys.result))
        house.clock.advance(by: 99)
        // Its end is the store's too; this stands for one that is refused for another reason.
        try await house.store.set(bytes, for: keys.result, lifetime: nil)
        house.clock.advance(by: 2)
        house.provider.state.update { $0.current["s1"] = 2 }
        #expect(await house.keepers[1].refresh(request).text == "3")
    }

    @Test func oneTenantsSpentTokensEvictNobodyElses() async throws {
        let house = try RefreshHouse()
        let keeper = house.keepers[0]
        #expect(await keeper.recent.count == keeper.tenants.count)
    }

    @Test func missedWordsAreMadeUpForByAReload() async throws {
        let house = try RefreshHouse(2, tellsWords: false)
        #expect(await house.keepers[0].refresh(try house.request()).text == "2")
        let next = try house.request(
            access: RefreshTokens.access("s1", 2),
            refresh: RefreshTokens.refresh("s1", 2),
            trigger: .expired
        )
        #expect(await house.keepers[1].refresh(next).text == "3")
        #expect(await house.keepers[0].refresh(try house.request()).text == "2 shared")
        await house.keepers[0].reloaded()
        #expect(await house.keepers[0].refresh(try house.request()).text == "3 shared")
    }

    @Test func whoWaitsLooksAfterAReload() async throws {
        let house = try RefreshHouse(2, tellsWords: false)
        house.provider.hold()
        let request = try house.request()
        async let first = house.keepers[0].refresh(request).text
        await house.provider.called(1)
        async let second = house.keepers[1].refresh(request).text
        await house.clock.waitForSleepers(1, after: 3.25)
        house.provider.letGo()
        #expect(await first == "2")
        await house.keepers[1].reloaded()
        #expect(await second == "2 shared")
    }

    @Test func oneQuestionIsAskedOfAllSessionsOfATenantThatChanged() async throws {
        let house = try RefreshHouse(source: .none)
        for number in 0..<50 {
            let request = try house.request("s\(number)", refresh: .some(nil))
            #expect(await house.keepers[0].refresh(request).text == "2")
        }
        let before = house.questions.value.count
        await house.keepers[0].revocationsChanged(tenants: ["shop"])
        #expect(house.questions.value.count == before)
        await house.keepers[0].revocationsChanged(tenants: ["chat", "shop"])
        #expect(house.questions.value.dropFirst(before) == [50])
        // Of a session that is revoked the new token is, too: nothing is left to end.
        await house.revoke("s7")
        await house.keepers[0].stop()
        #expect(house.ended.value.isEmpty)
    }
}
