import Store
import Testing
import Time
import Verification

@testable import IdentityProvider

/// The user endpoints.
struct OwnUserTests {
    private static let start = ExchangeFixture.start

    @Test func meReturnsUser() async throws {
        let fixture = try ExchangeFixture()
        let tokens = try await fixture.begin()
        for answer in [
            await fixture.ask(.sessionMe, "GET", bearer: tokens.accessToken),
            await fixture.ask(.sessionMe, "GET", cookies: try tokens.cookies, fetchSite: "cross-site"),
        ] {
            let object = try answer.object
            #expect(object.members.map(\.name) == ["success", "user"])
            #expect(object["user"] == .object(try #require(fixture.accounts.all.first).user))
            #expect(try answer.response.subject == "account-of-001.apple")
        }
    }

    @Test func firstGoodTokenCountsAtOwnEndpointsToo() async throws {
        let fixture = try ExchangeFixture()
        let alice = try await fixture.begin()
        let bob = try await fixture.begin("002.apple")
        let ended = try await fixture.begin()
        _ = try await fixture.ask(.sessionLogout, bearer: ended.accessToken).object
        for stale in ["x", ended.accessToken] {
            let answer = await fixture.ask(.sessionMe, "GET", bearer: stale, cookies: try bob.cookies)
            #expect(try answer.response.subject == "account-of-002.apple")
        }
        let both = await fixture.ask(.sessionMe, "GET", bearer: alice.accessToken, cookies: try alice.cookies)
        #expect(try both.response.subject == "account-of-001.apple")
        let conflict = await fixture.ask(.sessionMe, "GET", bearer: alice.accessToken, cookies: try bob.cookies)
        #expect(conflict.refusal?.code == .conflictingTokens && conflict.refusal?.status == 400)
        let none = await fixture.ask(.sessionMe, "GET", bearer: "x", cookies: ["ce_access_token": ended.accessToken])
        #expect(none.refusal?.code == .invalidToken, "the first one's refusal")
    }

    @Test func validateReturnsUserAndValid() async throws {
        let fixture = try ExchangeFixture()
        let tokens = try await fixture.begin()
        for method in ["GET", "POST"] {
            let object = try await fixture.ask(.sessionValidate, method, bearer: tokens.accessToken).object
            #expect(object["success"] == true)
            #expect(object["valid"] == true)
            #expect(object["user"]?.object?["sub"] == "account-of-001.apple")
        }
        let crossSite = await fixture.ask(.sessionValidate, cookies: try tokens.cookies, fetchSite: "cross-site")
        #expect(crossSite.refusal?.code == .crossSiteRequest)
    }

    @Test func oauthClientSeesOnlyTokenClaims() async throws {
        let fixture = try ExchangeFixture()
        _ = try await fixture.begin()
        let tokens = try await fixture.sessions.start(
            SessionOpening(subject: "account-of-001.apple", scopes: ["openid"], clientID: "app"),
            at: Self.start
        )
        let object = try await fixture.ask(.sessionMe, "GET", bearer: tokens.accessToken).object
        #expect(object["user"]?.object?["id"] == "account-of-001.apple")
        #expect(object["user"]?.object?["email"] == nil)
    }

    @Test func userWithoutAccountComesFromToken() async throws {
        let fixture = try ExchangeFixture()
        let tokens = try await fixture.sessions.start(
            SessionOpening(subject: "bob", claims: ["email": "bob@example.org"]),
            at: Self.start
        )
        let object = try await fixture.ask(.sessionMe, "GET", bearer: tokens.accessToken).object
        #expect(object["user"] == ["id": "bob", "sub": "bob", "email": "bob@example.org"])
    }

    @Test func missingInvalidAndExpiredTokensHaveTheirCodes() async throws {
        let fixture = try ExchangeFixture()
        let tokens = try await fixture.begin()
        #expect(await fixture.ask(.sessionMe, "GET").refusal?.code == .missingToken)
        #expect(await fixture.ask(.sessionMe, "GET", bearer: "x.y.z").refusal?.code == .invalidToken)
        let late = await fixture.ask(.sessionMe, "GET", bearer: tokens.accessToken, at: Self.start + 1801)
        #expect(late.refusal?.code == .tokenExpired)
    }

    @Test func endedOrRevokedSessionIsRefused() async throws {
        let fixture = try ExchangeFixture()
        let ended = try await fixture.begin()
        try await fixture.sessions.end(sessionID: ended.sessionID, at: Self.start)
        #expect(await fixture.ask(.sessionMe, "GET", bearer: ended.accessToken).refusal?.code == .tokenRevoked)
        let revoked = try await fixture.begin()
        try await fixture.revocations.revoke([
            Revocation(tenant: "chat", target: .session(revoked.sessionID), revokedAt: Self.start)
        ])
        #expect(await fixture.ask(.sessionMe, "GET", bearer: revoked.accessToken).refusal?.code == .tokenRevoked)
    }

    @Test func sessionEndedByAnotherInstanceIsRefused() async throws {
        let fixture = try ExchangeFixture()
        let other = try ExchangeFixture(store: fixture.store)
        let tokens = try await fixture.begin()
        _ = try await other.ask(.sessionLogout, bearer: tokens.accessToken).object
        #expect(fixture.revocations.all.isEmpty)
        for endpoint in [Endpoint.sessionMe, .sessionValidate] {
            #expect(await fixture.ask(endpoint, "GET", bearer: tokens.accessToken).refusal?.code == .tokenRevoked)
        }
    }

    @Test func storeFailureIsNotReportedAsValid() async throws {
        let store = WatchedStore()
        let fixture = try ExchangeFixture(store: store)
        let tokens = try await fixture.begin()
        store.fail([.value])
        #expect(await fixture.ask(.sessionMe, "GET", bearer: tokens.accessToken) == .refused(.storeUnavailable))
    }
}
