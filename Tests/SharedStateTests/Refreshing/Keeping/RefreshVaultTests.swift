import Store
import TestSupport
import Testing
import Verification

@testable import SharedState

/// Refresh tokens that the gateway keeps for clients which never send theirs.
@Suite(.timeLimit(.minutes(2)))
struct RefreshVaultTests {
    private func capture(
        _ house: RefreshHouse,
        _ access: [UInt8] = RefreshTokens.access("s1"),
        _ refresh: [UInt8] = RefreshTokens.refresh("s1")
    ) async throws -> Bool {
        await house.keepers[0].capture(
            tenant: 0,
            accessToken: access,
            principal: try RefreshTokens.oldPrincipal(access),
            refreshToken: refresh
        )
    }

    @Test(arguments: [RefreshTokens.Naming.sid, .jti])
    func theTokenFollowsTheSessionFromRefreshToRefresh(naming: RefreshTokens.Naming) async throws {
        let house = try RefreshHouse(2, source: .vault, provider: PretendIssuer(naming: naming))
        #expect(try await capture(house, RefreshTokens.access("s1", naming: naming)))
        for number in 1...5 {
            let access = RefreshTokens.access("s1", number, naming: naming)
            let request = try house.request(access: access, refresh: .some(nil), trigger: .expired)
            #expect(await house.keepers[number % 2].refresh(request).text == "\(number + 1)")
        }
        #expect(house.provider.state.value.presented == (1...5).map { RefreshTokens.refresh("s1", $0) })
    }

    @Test func theEntryOfTheOldNameIsGone() async throws {
        let house = try RefreshHouse(source: .vault, provider: PretendIssuer(naming: .jti))
        let access = RefreshTokens.access("s1", naming: .jti)
        #expect(try await capture(house, access))
        _ = await house.keepers[0].refresh(try house.request(access: access, refresh: .some(nil)))
        let keys = RefreshKeys(tenant: "chat", SessionName(try RefreshTokens.oldPrincipal(access)))
        #expect(try await house.store.value(for: keys.captured) == nil)
        #expect(try await house.store.value(for: keys.vault) == nil)
    }

    @Test func whatTheClientWasGivenDuringACallCountsMoreThanWhatTheCallBrings() async throws {
        let house = try RefreshHouse(source: .vault, provider: PretendIssuer(rotates: true))
        #expect(try await capture(house))
        house.provider.hold()
        let request = try house.request(refresh: .some(nil))
        async let answer = house.keepers[0].refresh(request).text
        await house.provider.called(1)
        let newer = Array("signed in anew".utf8)
        #expect(try await capture(house, RefreshTokens.access("s1", 7), newer))
        house.provider.letGo()
        #expect(await answer == "2")
        let next = try house.request(access: RefreshTokens.access("s1", 2), refresh: .some(nil), trigger: .expired)
        _ = await house.keepers[0].refresh(next)
        #expect(house.provider.state.value.presented.last == newer)
    }

    @Test func aRefusalIsForgottenWhenTheClientSignsInAgain() async throws {
        let house = try RefreshHouse(2, source: .vault)
        let ahead = try house.request(refresh: .some(nil), trigger: .ahead)
        for keeper in house.keepers { #expect(await keeper.refresh(ahead).text == "unavailable no_refresh_token") }
        #expect(try await capture(house))
        #expect(await house.keepers[0].refresh(ahead).text == "2")
    }

    @Test func anotherSubjectsTokenIsNotUsed() async throws {
        let house = try RefreshHouse(source: .vault)
        #expect(try await capture(house, RefreshTokens.access("s1", subject: "bob")))
        let request = try house.request(refresh: .some(nil))
        #expect(await house.keepers[0].refresh(request).text == "unavailable no_refresh_token")
    }

    @Test func withoutAKeyThereIsNoVault() async throws {
        let house = try RefreshHouse(source: .vault, isSealed: false)
        #expect(try await !capture(house))
        let request = try house.request(refresh: .some(nil))
        #expect(await house.keepers[0].refresh(request).text == "unavailable no_refresh_token")
    }

    @Test func aRotatedTokenThatTheStoreCouldNotTakeIsNotLost() async throws {
        let house = try RefreshHouse(2, source: .vault)
        #expect(try await capture(house))
        house.provider.hold()
        let request = try house.request(refresh: .some(nil))
        async let answer = house.keepers[0].refresh(request).text
        await house.provider.called(1)
        house.store.setUp(false)
        house.provider.letGo()
        #expect(await answer == "2")
        await house.storeComesBack()
        let next = try house.request(access: RefreshTokens.access("s1", 2), refresh: .some(nil), trigger: .expired)
        #expect(await house.keepers[1].refresh(next).text == "3")
        #expect(house.provider.state.value.ended.isEmpty)
    }

    @Test func withTheStoreAwayAnUnknownTokenCannotBePresented() async throws {
        let house = try RefreshHouse(source: .vault)
        #expect(try await capture(house))
        house.store.setUp(false)
        let request = try house.request(refresh: .some(nil))
        async let answer = house.keepers[0].refresh(request).text
        for _ in 0..<8 {
            await house.clock.waitForSleepers(1, after: 0.25)
            house.clock.advance(by: 0.25)
        }
        #expect(await answer == "unavailable store_unavailable")
        #expect(house.provider.calls == 0)
    }
}
