import Store
import TestSupport
import Testing
import Verification

@testable import SharedState

/// Refresh tokens that the gateway keeps for clients which never send theirs.
@Suite(.timeLimit(.minutes(2)))
struct RefreshVaultTests {
    private func capture(
        _ fixture: RefreshFixture,
        _ access: [UInt8] = RefreshTokens.access("s1"),
        _ refresh: [UInt8] = RefreshTokens.refresh("s1")
    ) async throws -> Bool {
        await fixture.services[0].capture(
            tenant: 0,
            accessToken: access,
            principal: try RefreshTokens.oldPrincipal(access),
            refreshToken: refresh
        )
    }

    @Test(arguments: [RefreshTokens.Naming.sid, .jti])
    func vaultTokenFollowsTheSession(naming: RefreshTokens.Naming) async throws {
        let fixture = try RefreshFixture(2, source: .vault, provider: PretendIssuer(naming: naming))
        #expect(try await capture(fixture, RefreshTokens.access("s1", naming: naming)))
        for number in 1...5 {
            let access = RefreshTokens.access("s1", number, naming: naming)
            let request = try fixture.request(access: access, refresh: .some(nil), trigger: .expired)
            #expect(await fixture.services[number % 2].refresh(request).text == "\(number + 1)")
        }
        #expect(fixture.provider.state.value.presented == (1...5).map { RefreshTokens.refresh("s1", $0) })
    }

    @Test func vaultEntryOfTheOldNameIsRemoved() async throws {
        let fixture = try RefreshFixture(source: .vault, provider: PretendIssuer(naming: .jti))
        let access = RefreshTokens.access("s1", naming: .jti)
        #expect(try await capture(fixture, access))
        _ = await fixture.services[0].refresh(try fixture.request(access: access, refresh: .some(nil)))
        let keys = RefreshKeys(tenant: "chat", SessionName(try RefreshTokens.oldPrincipal(access)))
        #expect(try await fixture.store.value(for: keys.captured) == nil)
        #expect(try await fixture.store.value(for: keys.vault) == nil)
    }

    @Test func tokenCapturedDuringACallCountsMore() async throws {
        let fixture = try RefreshFixture(source: .vault, provider: PretendIssuer(rotates: true))
        #expect(try await capture(fixture))
        fixture.provider.hold()
        let request = try fixture.request(refresh: .some(nil))
        async let answer = fixture.services[0].refresh(request).text
        await fixture.provider.called(1)
        let newer = Array("signed in anew".utf8)
        #expect(try await capture(fixture, RefreshTokens.access("s1", 7), newer))
        fixture.provider.release()
        #expect(await answer == "2")
        let next = try fixture.request(access: RefreshTokens.access("s1", 2), refresh: .some(nil), trigger: .expired)
        _ = await fixture.services[0].refresh(next)
        #expect(fixture.provider.state.value.presented.last == newer)
    }

    @Test func newSignInClearsARefusal() async throws {
        let fixture = try RefreshFixture(2, source: .vault)
        let ahead = try fixture.request(refresh: .some(nil), trigger: .ahead)
        for service in fixture.services { #expect(await service.refresh(ahead).text == "unavailable no_refresh_token") }
        #expect(try await capture(fixture))
        #expect(await fixture.services[0].refresh(ahead).text == "2")
    }

    @Test func anotherSubjectsTokenIsNotUsed() async throws {
        let fixture = try RefreshFixture(source: .vault)
        #expect(try await capture(fixture, RefreshTokens.access("s1", subject: "bob")))
        let request = try fixture.request(refresh: .some(nil))
        #expect(await fixture.services[0].refresh(request).text == "unavailable no_refresh_token")
    }

    @Test func withoutAKeyThereIsNoVault() async throws {
        let fixture = try RefreshFixture(source: .vault, isSealed: false)
        #expect(try await !capture(fixture))
        let request = try fixture.request(refresh: .some(nil))
        #expect(await fixture.services[0].refresh(request).text == "unavailable no_refresh_token")
    }

    @Test func unstoredRotatedTokenIsNotLost() async throws {
        let fixture = try RefreshFixture(2, source: .vault)
        #expect(try await capture(fixture))
        fixture.provider.hold()
        let request = try fixture.request(refresh: .some(nil))
        async let answer = fixture.services[0].refresh(request).text
        await fixture.provider.called(1)
        fixture.store.setUp(false)
        fixture.provider.release()
        #expect(await answer == "2")
        await fixture.storeComesBack()
        let next = try fixture.request(access: RefreshTokens.access("s1", 2), refresh: .some(nil), trigger: .expired)
        #expect(await fixture.services[1].refresh(next).text == "3")
        #expect(fixture.provider.state.value.ended.isEmpty)
    }

    @Test func withoutTheStoreAnUnknownTokenIsNotPresented() async throws {
        let fixture = try RefreshFixture(source: .vault)
        #expect(try await capture(fixture))
        fixture.store.setUp(false)
        let request = try fixture.request(refresh: .some(nil))
        async let answer = fixture.services[0].refresh(request).text
        for _ in 0..<8 {
            await fixture.clock.waitForSleepers(1, after: 0.25)
            fixture.clock.advance(by: 0.25)
        }
        #expect(await answer == "unavailable store_unavailable")
        #expect(fixture.provider.calls == 0)
    }
}
