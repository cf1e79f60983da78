import Store
import TestSupport
import Testing
import Verification

@testable import SharedState

/// A revoked or logged-out session is never brought back by a late answer.
@Suite(.timeLimit(.minutes(2)))
struct RefreshRevocationTests {
    @Test func aRevocationDuringTheCallWins() async throws {
        let house = try RefreshHouse(2)
        house.provider.hold()
        let request = try house.request()
        async let first = house.keepers[0].refresh(request).text
        await house.provider.called(1)
        async let second = house.keepers[1].refresh(request).text
        await house.clock.waitForSleepers(1, after: 3.25)
        await house.revoke("s1")
        #expect(await second == "refused revoked")
        house.provider.letGo()
        #expect(await first == "refused revoked")
        #expect(try await house.store.value(for: house.keys().result) == nil)
    }

    /// It has not been told that something changed, but looks before anything is written.
    @Test func aRevocationThatNobodySpokeOfWinsToo() async throws {
        let house = try RefreshHouse(provider: PretendIssuer(naming: .jti))
        house.provider.hold()
        let access = RefreshTokens.access("s1", naming: .jti)
        let request = try house.request(access: access)
        async let answer = house.keepers[0].refresh(request).text
        await house.provider.called(1)
        house.revoked.update { _ = $0.insert("s1-1") }
        house.provider.letGo()
        #expect(await answer == "refused revoked")
        let keys = RefreshKeys(tenant: "chat", SessionName(try RefreshTokens.oldPrincipal(access)))
        #expect(try await house.store.value(for: keys.result) == nil)
        #expect(await house.keepers[0].counts[0]?["renewed"] == nil)
    }

    @Test func aRevocationSoonAfterTakesTheNewTokenToo() async throws {
        let provider = PretendIssuer(naming: .jti)
        let house = try RefreshHouse(2, provider: provider)
        let access = RefreshTokens.access("s1", 1, naming: .jti)
        let request = try house.request(access: access)
        #expect(await house.keepers[0].refresh(request).text == "2")
        await house.revoke("s1-1")
        await house.ended.wait { !$0.isEmpty }
        #expect(house.ended.value.map(\.principal.tokenID) == ["s1-2"])
        for keeper in house.keepers { #expect(await keeper.refresh(request).text == "refused revoked") }
        for keeper in house.keepers { await keeper.stop() }
        let keys = RefreshKeys(tenant: "chat", SessionName(try RefreshTokens.oldPrincipal(access)))
        #expect(try await house.store.value(for: keys.result) == nil)
    }

    @Test func aRevokedSessionIsNotAskedFor() async throws {
        let house = try RefreshHouse()
        await house.revoke("s1")
        #expect(await house.keepers[0].refresh(try house.request()).text == "refused revoked")
        #expect(house.provider.calls == 0)
    }

    @Test func aRevokedSessionsVaultIsEmptied() async throws {
        let house = try RefreshHouse(source: .vault)
        let access = RefreshTokens.access("s1")
        let principal = try RefreshTokens.oldPrincipal(access)
        let token = RefreshTokens.refresh("s1")
        let keeper = house.keepers[0]
        #expect(await keeper.capture(tenant: 0, accessToken: access, principal: principal, refreshToken: token))
        house.provider.hold()
        let request = try house.request(refresh: .some(nil))
        async let answer = keeper.refresh(request).text
        await house.provider.called(1)
        await house.revoke("s1")
        house.provider.letGo()
        #expect(await answer == "refused revoked")
        let keys = try house.keys()
        #expect(try await house.store.value(for: keys.captured) == nil)
        #expect(try await house.store.value(for: keys.vault) == nil)
        #expect(await !keeper.capture(tenant: 0, accessToken: access, principal: principal, refreshToken: token))
    }
}
