import Store
import Testing
import Time
import Verification

@testable import IdentityProvider

/// Refresh at the tenant's own path.
struct OwnRefreshTests {
    private static let start = ExchangeFixture.start

    @Test func refreshTokenInBodyGetsNewPair() async throws {
        let fixture = try ExchangeFixture()
        let tokens = try await fixture.begin()
        let answer = await fixture.ask(
            .sessionRefresh,
            body: ["refresh_token": .string(try tokens.refresh)],
            at: Self.start + 60
        )
        let object = try answer.object
        #expect(object["success"] == true)
        #expect(object["token"] == object["access_token"])
        #expect(object["token_type"] == "bearer")
        #expect(object["expires_in"] == 1800)
        #expect(object["user"]?.object?["id"] == "account-of-001.apple")
        #expect(object["user"]?.object?["providers"] == ["apple"])
        #expect(try object.text("refresh_token") != tokens.refresh)
        #expect(try answer.response.fields.setCookies.isEmpty)
        #expect(try answer.response.fields.contains(EndpointResponse.Field("Cache-Control", "no-store")))
        _ = try await fixture.sessions.refresh(object.text("refresh_token"), at: Self.start + 120)
    }

    @Test func refreshTokenInCookieGetsNewCookies() async throws {
        let fixture = try ExchangeFixture()
        let tokens = try await fixture.begin()
        let answer = await fixture.ask(.sessionRefresh, cookies: try tokens.cookies, origin: "https://chat.localtest")
        let object = try answer.object
        let cookies = try answer.response.fields.setCookies
        let attributes = "; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age="
        #expect(
            cookies == [
                "ce_access_token=\(try object.text("access_token"))\(attributes)2400",
                "ce_refresh_token=\(try object.text("refresh_token"))\(attributes)2592000",
            ]
        )
    }

    @Test func lostResponseIsRepeatedWithinWindow() async throws {
        let fixture = try ExchangeFixture()
        let body: JSONObject = ["refresh_token": .string(try await fixture.begin().refresh)]
        let first = try await fixture.ask(.sessionRefresh, body: body).object
        let second = try await fixture.ask(.sessionRefresh, body: body, at: Self.start + 29).object
        #expect(try first.text("refresh_token") == second.text("refresh_token"))
        #expect(await fixture.ask(.sessionRefresh, body: body, at: Self.start + 31).refusal?.code == .invalidToken)
        let successor: JSONObject = ["refresh_token": .string(try first.text("refresh_token"))]
        #expect(await fixture.ask(.sessionRefresh, body: successor, at: Self.start + 32).refusal?.code == .invalidToken)
    }

    @Test func refusalClearsCookies() async throws {
        let fixture = try ExchangeFixture()
        let tokens = try await fixture.begin()
        try await fixture.sessions.end(sessionID: tokens.sessionID, at: Self.start)
        let refusal = try #require(await fixture.ask(.sessionRefresh, cookies: try tokens.cookies).refusal)
        #expect(refusal.status == 401)
        #expect(refusal.fields.clearsCookies)
        let body: JSONObject = ["refresh_token": .string(try tokens.refresh)]
        #expect(await fixture.ask(.sessionRefresh, body: body).refusal?.fields == [])
    }

    @Test func revokedSessionIsRefused() async throws {
        let fixture = try ExchangeFixture()
        let tokens = try await fixture.begin()
        try await fixture.revocations.revoke([
            Revocation(tenant: "chat", target: .subject("account-of-001.apple"), revokedAt: Self.start + 1)
        ])
        let body: JSONObject = ["refresh_token": .string(try tokens.refresh)]
        #expect(await fixture.ask(.sessionRefresh, body: body, at: Self.start + 2).refusal?.status == 401)
    }

    @Test func crossSiteRefreshIsRefused() async throws {
        let fixture = try ExchangeFixture()
        let tokens = try await fixture.begin()
        for (origin, site) in [("https://evil.example", nil), ("null", nil), (nil, "cross-site")]
            as [(String?, String?)]
        {
            let answer = await fixture.ask(
                .sessionRefresh,
                cookies: try tokens.cookies,
                origin: origin,
                fetchSite: site,
                at: Self.start + 40
            )
            #expect(answer.refusal?.code == .crossSiteRequest)
            #expect(answer.refusal?.status == 403)
            #expect(answer.refusal?.fields == [])
        }
        // The token is not spent.
        _ = try await fixture.sessions.refresh(tokens.refresh, at: Self.start + 80)
    }

    @Test func missingOrInvalidTokenIsRefused() async throws {
        let fixture = try ExchangeFixture()
        #expect(await fixture.ask(.sessionRefresh).refusal?.code == .missingToken)
        #expect(await fixture.ask(.sessionRefresh, body: [:]).refusal?.code == .missingToken)
        #expect(await fixture.ask(.sessionRefresh, body: ["refresh_token": 7]).refusal?.code == .badRequest)
        #expect(await fixture.ask(.sessionRefresh, body: ["refresh_token": "x"]).refusal?.code == .invalidToken)
    }

    @Test func storeFailureKeepsCookies() async throws {
        let store = WatchedStore()
        let fixture = try ExchangeFixture(store: store)
        let tokens = try await fixture.begin()
        store.fail(WatchedStore.Call.allCases)
        #expect(await fixture.ask(.sessionRefresh, cookies: try tokens.cookies) == .refused(.storeUnavailable))
    }

    @Test func unavailableAccountDoesNotEndSession() async throws {
        let fixture = try ExchangeFixture()
        let tokens = try await fixture.begin()
        fixture.accounts.fail(.unavailable(.storeUnavailable))
        let object = try await fixture.ask(.sessionRefresh, body: ["refresh_token": .string(try tokens.refresh)]).object
        #expect(object["user"]?.object?["id"] == "account-of-001.apple")
        #expect(object["user"]?.object?["email"] == "alice@example.org")
    }
}
