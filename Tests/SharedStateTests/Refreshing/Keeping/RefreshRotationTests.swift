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
    func successorBesideAnUnusableTokenIsKept(source: RefreshTokenSource) async throws {
        let fixture = try RefreshFixture(source: source)
        let access = RefreshTokens.access("s1")
        let token = RefreshTokens.refresh("s1")
        let principal = try RefreshTokens.oldPrincipal(access)
        let service = fixture.services[0]
        _ = await service.capture(tenant: 0, accessToken: access, principal: principal, refreshToken: token)
        fixture.provider.state.update { state in
            state.script = [.other(Self.useless)]
            state.current["s1"] = 2
        }
        let request = try fixture.request(refresh: .some(source == .vault ? nil : token), patience: 1000)
        #expect(await service.refresh(request).text == "unavailable bad_token")
        fixture.clock.advance(by: 4)
        #expect(await service.refresh(request).text == "3")
        #expect(fixture.provider.state.value.presented == [token, RefreshTokens.refresh("s1", 2)])
        #expect(fixture.provider.state.value.ended.isEmpty)
        fixture.clock.advance(by: 40)
        guard source != .vault else { return }
        #expect(await service.refresh(request).text == "unavailable spent_token")
    }

    @Test func spentTokenIsRememberedForAMonth() async throws {
        let fixture = try RefreshFixture(2)
        #expect(await fixture.services[0].refresh(try fixture.request()).text == "2")
        fixture.clock.advance(by: 29 * 86_400)
        for service in fixture.services {
            #expect(await service.refresh(try fixture.request()).text == "unavailable spent_token")
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

    /// A result made ahead of time is kept for long, even if its key was withdrawn.
    @Test func oldUnusableResultDoesNotBlockRefreshes() async throws {
        let fixture = try RefreshFixture(2, source: .none)
        let access = RefreshTokens.access("s1", 1, expiresAt: RefreshTokens.now + 5000)
        let short = RefreshTokens.access("s1", 2, expiresAt: RefreshTokens.now + 100)
        fixture.provider.script(.other(ReceivedTokens(accessToken: short, refreshToken: nil, cookies: [])))
        let request = try fixture.request(access: access, refresh: .some(nil), trigger: .ahead, patience: 10_000)
        #expect(await fixture.services[0].refresh(request).text == "2")
        let keys = try fixture.keys()
        let bytes = try #require(try await fixture.store.value(for: keys.result))
        fixture.clock.advance(by: 99)
        // Its end is the store's too; this stands for one that is refused for another reason.
        try await fixture.store.set(bytes, for: keys.result, lifetime: nil)
        fixture.clock.advance(by: 2)
        fixture.provider.state.update { $0.current["s1"] = 2 }
        #expect(await fixture.services[1].refresh(request).text == "3")
    }

    @Test func spentTokensOfOneTenantEvictNoOthers() async throws {
        let fixture = try RefreshFixture()
        let service = fixture.services[0]
        #expect(await service.recent.count == service.tenants.count)
    }

    @Test func reloadMakesUpForMissedAnnouncements() async throws {
        let fixture = try RefreshFixture(2, deliversAnnouncements: false)
        #expect(await fixture.services[0].refresh(try fixture.request()).text == "2")
        let next = try fixture.request(
            access: RefreshTokens.access("s1", 2),
            refresh: RefreshTokens.refresh("s1", 2),
            trigger: .expired
        )
        #expect(await fixture.services[1].refresh(next).text == "3")
        #expect(await fixture.services[0].refresh(try fixture.request()).text == "2 shared")
        await fixture.services[0].reloaded()
        #expect(await fixture.services[0].refresh(try fixture.request()).text == "3 shared")
    }

    @Test func waitingFlightLooksAgainAfterAReload() async throws {
        let fixture = try RefreshFixture(2, deliversAnnouncements: false)
        fixture.provider.hold()
        let request = try fixture.request()
        async let first = fixture.services[0].refresh(request).text
        await fixture.provider.called(1)
        async let second = fixture.services[1].refresh(request).text
        await fixture.clock.waitForSleepers(1, after: 3.25)
        fixture.provider.release()
        #expect(await first == "2")
        await fixture.services[1].reloaded()
        #expect(await second == "2 shared")
    }

    @Test func revocationsOfATenantAreCheckedTogether() async throws {
        let fixture = try RefreshFixture(source: .none)
        for number in 0..<50 {
            let request = try fixture.request("s\(number)", refresh: .some(nil))
            #expect(await fixture.services[0].refresh(request).text == "2")
        }
        let before = fixture.questions.value.count
        await fixture.services[0].revocationsChanged(tenants: ["shop"])
        #expect(fixture.questions.value.count == before)
        await fixture.services[0].revocationsChanged(tenants: ["chat", "shop"])
        #expect(fixture.questions.value.dropFirst(before) == [50])
        // Of a session that is revoked the new token is, too: nothing is left to end.
        await fixture.revoke("s7")
        await fixture.services[0].stop()
        #expect(fixture.ended.value.isEmpty)
    }
}
