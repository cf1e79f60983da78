import Store
import TestSupport
import Testing
import Verification

@testable import SharedState

/// A late response never restores a revoked or signed-out session.
@Suite(.timeLimit(.minutes(2)))
struct RefreshRevocationTests {
    @Test func aRevocationDuringTheCallWins() async throws {
        let fixture = try RefreshFixture(2)
        fixture.provider.hold()
        let request = try fixture.request()
        async let first = fixture.services[0].refresh(request).text
        await fixture.provider.called(1)
        async let second = fixture.services[1].refresh(request).text
        await fixture.clock.waitForSleepers(1, after: 3.25)
        await fixture.revoke("s1")
        #expect(await second == "refused revoked")
        fixture.provider.release()
        #expect(await first == "refused revoked")
        #expect(try await fixture.store.value(for: fixture.keys().result) == nil)
    }

    /// The service has not been notified, but checks before each write.
    @Test func unannouncedRevocationWins() async throws {
        let fixture = try RefreshFixture(provider: PretendIssuer(naming: .jti))
        fixture.provider.hold()
        let access = RefreshTokens.access("s1", naming: .jti)
        let request = try fixture.request(access: access)
        async let answer = fixture.services[0].refresh(request).text
        await fixture.provider.called(1)
        fixture.revoked.update { _ = $0.insert("s1-1") }
        fixture.provider.release()
        #expect(await answer == "refused revoked")
        let keys = RefreshKeys(tenant: "chat", SessionName(try RefreshTokens.oldPrincipal(access)))
        #expect(try await fixture.store.value(for: keys.result) == nil)
        #expect(await fixture.services[0].counts[0]?["renewed"] == nil)
    }

    @Test func revocationAfterTheRefreshRevokesTheNewToken() async throws {
        let provider = PretendIssuer(naming: .jti)
        let fixture = try RefreshFixture(2, provider: provider)
        let access = RefreshTokens.access("s1", 1, naming: .jti)
        let request = try fixture.request(access: access)
        #expect(await fixture.services[0].refresh(request).text == "2")
        await fixture.revoke("s1-1")
        await fixture.ended.wait { !$0.isEmpty }
        #expect(fixture.ended.value.map(\.principal.tokenID) == ["s1-2"])
        for service in fixture.services { #expect(await service.refresh(request).text == "refused revoked") }
        for service in fixture.services { await service.stop() }
        let keys = RefreshKeys(tenant: "chat", SessionName(try RefreshTokens.oldPrincipal(access)))
        #expect(try await fixture.store.value(for: keys.result) == nil)
    }

    @Test func revokedSessionIsNotRefreshed() async throws {
        let fixture = try RefreshFixture()
        await fixture.revoke("s1")
        #expect(await fixture.services[0].refresh(try fixture.request()).text == "refused revoked")
        #expect(fixture.provider.calls == 0)
    }

    @Test func aRevokedSessionsVaultIsEmptied() async throws {
        let fixture = try RefreshFixture(source: .vault)
        let access = RefreshTokens.access("s1")
        let principal = try RefreshTokens.oldPrincipal(access)
        let token = RefreshTokens.refresh("s1")
        let service = fixture.services[0]
        #expect(await service.capture(tenant: 0, accessToken: access, principal: principal, refreshToken: token))
        fixture.provider.hold()
        let request = try fixture.request(refresh: .some(nil))
        async let answer = service.refresh(request).text
        await fixture.provider.called(1)
        await fixture.revoke("s1")
        fixture.provider.release()
        #expect(await answer == "refused revoked")
        let keys = try fixture.keys()
        #expect(try await fixture.store.value(for: keys.captured) == nil)
        #expect(try await fixture.store.value(for: keys.vault) == nil)
        #expect(await !service.capture(tenant: 0, accessToken: access, principal: principal, refreshToken: token))
    }
}
