import Store
import Testing
import Time
import Verification

@testable import IdentityProvider

/// Logout at the tenant's own path.
struct OwnLogoutTests {
    private static let start = ExchangeFixture.start

    @Test func appLogoutEndsOnlyItsSession() async throws {
        let fixture = try ExchangeFixture()
        let phone = try await fixture.begin()
        let browser = try await fixture.begin()
        let answer = await fixture.ask(.sessionLogout, bearer: phone.accessToken)
        #expect(try answer.object == ["success": true])
        #expect(try answer.response.fields.setCookies.isEmpty)
        #expect(try await !fixture.isLive(phone))
        #expect(try await fixture.isLive(browser))
        #expect(fixture.revocations.all.map(\.target) == [.session(phone.sessionID)])
        #expect(await fixture.ask(.sessionMe, "GET", bearer: phone.accessToken).refusal?.code == .tokenRevoked)
        _ = try await fixture.ask(.sessionMe, "GET", cookies: try browser.cookies).object
    }

    @Test func browserLogoutClearsCookiesAndEndsOnlyItsSession() async throws {
        let fixture = try ExchangeFixture()
        let phone = try await fixture.begin()
        let browser = try await fixture.begin()
        let answer = await fixture.ask(
            .sessionLogout,
            cookies: try browser.cookies,
            origin: "https://chat.example",
            fetchSite: "same-site"
        )
        #expect(try answer.response.fields.clearsCookies)
        #expect(try await !fixture.isLive(browser))
        #expect(try await fixture.isLive(phone))
    }

    @Test func everyGoodTokenOfTheRequestIsSignedOut() async throws {
        let fixture = try ExchangeFixture()
        let page = try await fixture.begin()
        let browser = try await fixture.begin()
        _ = try await fixture.ask(.sessionLogout, bearer: page.accessToken, cookies: try browser.cookies).object
        // Otherwise the cookie would still sign in the next request, beside a token that was revoked.
        #expect(try await !fixture.isLive(page))
        #expect(try await !fixture.isLive(browser))
    }

    /// The browser has a refresh token beside the expired one, with which the next request would be signed in.
    @Test func expiredCookieOfTheSubjectIsSignedOutBesideGoodToken() async throws {
        let fixture = try ExchangeFixture()
        let browser = try await fixture.begin()
        let stranger = try await fixture.begin("bob")
        let now = Self.start + 1900
        let page = try await fixture.begin(at: now)
        let others = ["ce_access_token": stranger.accessToken, "ce_refresh_token": try stranger.refresh]
        _ = try await fixture.ask(.sessionLogout, bearer: page.accessToken, cookies: others, at: now).object
        #expect(try await !fixture.isLive(page, at: now))
        #expect(try await fixture.isLive(stranger, at: now), "an expired token of another subject is passed over")
        let next = try await fixture.begin(at: now)
        _ = try await fixture.ask(.sessionLogout, bearer: next.accessToken, cookies: try browser.cookies, at: now)
            .object
        #expect(try await !fixture.isLive(next, at: now))
        #expect(try await !fixture.isLive(browser, at: now))
        #expect(fixture.revocations.all.contains { $0.target == .session(browser.sessionID) })
    }

    @Test func expiredCookieCountsBesideWhatIsNoToken() async throws {
        let fixture = try ExchangeFixture()
        let browser = try await fixture.begin()
        let cookies = ["ce_access_token": browser.accessToken]
        let now = Self.start + 1900
        _ = try await fixture.ask(.sessionLogout, bearer: "x", cookies: cookies, at: now).object
        #expect(try await !fixture.isLive(browser, at: now))
        // To show its user it must be good.
        let shown = await fixture.ask(.sessionMe, "GET", bearer: "x", cookies: cookies, at: now)
        #expect(shown.refusal?.code == .invalidToken)
    }

    @Test func cookieIsSignedOutBesideStaleToken() async throws {
        let fixture = try ExchangeFixture()
        let browser = try await fixture.begin()
        let ended = try await fixture.begin()
        _ = try await fixture.ask(.sessionLogout, bearer: ended.accessToken).object
        for stale in ["x", ended.accessToken] {
            let answer = await fixture.ask(
                .sessionLogout,
                bearer: stale,
                cookies: try browser.cookies,
                origin: "https://evil.example"
            )
            #expect(answer.refusal?.code == .crossSiteRequest, "the cookie counts, and so do its rules")
            #expect(try await fixture.isLive(browser))
        }
        let answer = await fixture.ask(
            .sessionLogout,
            bearer: ended.accessToken,
            cookies: try browser.cookies,
            origin: "https://chat.example"
        )
        #expect(try answer.response.fields.clearsCookies)
        #expect(try await !fixture.isLive(browser))
    }

    @Test(arguments: [1801, 30 * 86_400 + 1000] as [Double])
    func recentlyExpiredTokenEndsSession(after seconds: Double) async throws {
        let fixture = try ExchangeFixture()
        let tokens = try await fixture.begin()
        let now = Self.start + seconds
        _ = try await fixture.ask(.sessionLogout, bearer: tokens.accessToken, at: now).object
        #expect(fixture.revocations.all.map(\.target) == [.session(tokens.sessionID)])
    }

    @Test func longExpiredTokenEndsNothing() async throws {
        let fixture = try ExchangeFixture()
        let tokens = try await fixture.begin()
        let now = Self.start + 1800 + 30 * 86_400 + 60
        #expect(await fixture.ask(.sessionLogout, bearer: tokens.accessToken, at: now).refusal?.code == .tokenExpired)
        #expect(fixture.revocations.all.isEmpty)
    }

    @Test func refreshTokenEndsSession() async throws {
        let fixture = try ExchangeFixture()
        let inBody = try await fixture.begin()
        _ = try await fixture.ask(.sessionLogout, body: ["refresh_token": .string(try inBody.refresh)]).object
        #expect(try await !fixture.isLive(inBody))
        let inCookie = try await fixture.begin()
        let cookies = ["ce_access_token": "spoilt", "ce_refresh_token": try inCookie.refresh]
        #expect(try await fixture.ask(.sessionLogout, cookies: cookies).response.fields.clearsCookies)
        #expect(try await !fixture.isLive(inCookie))
    }

    @Test func sessionIDAloneEndsNothing() async throws {
        let fixture = try ExchangeFixture()
        let tokens = try await fixture.begin()
        let id = try #require(Base64URL.decode(tokens.sessionID))
        let forged = Base64URL.encode(id + [UInt8](repeating: 7, count: 48))
        _ = try await fixture.ask(.sessionLogout, body: ["refresh_token": .string(forged)]).object
        #expect(try await fixture.isLive(tokens))
    }

    @Test func repeatedLogoutSucceeds() async throws {
        let fixture = try ExchangeFixture()
        let tokens = try await fixture.begin()
        for _ in 0..<2 {
            #expect(try await fixture.ask(.sessionLogout, cookies: try tokens.cookies).response.fields.clearsCookies)
            #expect(try await fixture.ask(.sessionLogout, bearer: tokens.accessToken).object == ["success": true])
            let body: JSONObject = ["refresh_token": .string(try tokens.refresh)]
            #expect(try await fixture.ask(.sessionLogout, body: body).object == ["success": true])
        }
    }

    @Test func missingOrInvalidTokenIsRefused() async throws {
        let fixture = try ExchangeFixture()
        #expect(await fixture.ask(.sessionLogout).refusal?.code == .missingToken)
        #expect(await fixture.ask(.sessionLogout, bearer: "x.y.z").refusal?.code == .invalidToken)
        let spoilt = await fixture.ask(.sessionLogout, cookies: ["ce_access_token": "spoilt"])
        #expect(spoilt.refusal?.code == .invalidToken)
        #expect(spoilt.refusal?.fields.clearsCookies == true)
    }

    @Test func crossSiteLogoutIsRefused() async throws {
        let fixture = try ExchangeFixture()
        let tokens = try await fixture.begin()
        let answer = await fixture.ask(.sessionLogout, cookies: try tokens.cookies, origin: "https://evil.example")
        #expect(answer.refusal == .crossSite)
        #expect(try await fixture.isLive(tokens))
        // Nor are the cookies cleared with the attacker's own app token.
        let mallory = try await fixture.begin("mallory")
        let mixed = await fixture.ask(
            .sessionLogout,
            bearer: mallory.accessToken,
            cookies: try tokens.cookies,
            origin: "https://evil.example"
        )
        #expect(mixed.refusal?.code == .conflictingTokens && mixed.refusal?.fields.setCookies.isEmpty == true)
        #expect(try await fixture.isLive(tokens))
    }

    @Test func crossSiteLogoutIsAllowedInObserveMode() async throws {
        let fixture = try ExchangeFixture(crossSiteMode: .observe)
        let tokens = try await fixture.begin()
        let answer = await fixture.ask(.sessionLogout, cookies: try tokens.cookies, origin: "https://evil.example")
        #expect(try answer.response.fields.clearsCookies)
        #expect(try await !fixture.isLive(tokens))
    }

    @Test(arguments: [WatchedStore.Call.value, .remove, .revoke])
    func storeFailureIsNotReportedAsLogout(_ call: WatchedStore.Call) async throws {
        let store = WatchedStore()
        let fixture = try ExchangeFixture(store: store)
        let tokens = try await fixture.begin()
        store.fail([call])
        #expect(await fixture.ask(.sessionLogout, cookies: try tokens.cookies) == .refused(.storeUnavailable))
        store.onCall(nil)
        #expect(try await fixture.ask(.sessionLogout, cookies: try tokens.cookies).response.fields.clearsCookies)
        #expect(try await !fixture.isLive(tokens))
    }

    @Test func tokenWithoutSessionIsRevokedItself() async throws {
        let fixture = try ExchangeFixture()
        let claims: JSONObject = [
            "iss": "https://chat.example", "sub": "alice", "aud": "chat-api", "jti": "t-1",
            "exp": .number(JSONNumber(Int(Self.start.seconds) + 600)),
        ]
        let key = try #require(TestKeys.p256)
        let keyID = try #require(key.thumbprint)
        let token = try TokenSigner(key, algorithm: .es256, keyID: keyID).sign(claims, header: ["typ": "at+jwt"])
        _ = try await fixture.ask(.sessionLogout, bearer: token).object
        let issuer = "https://chat.example"
        #expect(fixture.revocations.all.map(\.target) == [.token(issuer: issuer, tokenID: "t-1")])
        #expect(fixture.revocations.all.allSatisfy { $0.expiresAt > Self.start + 600 })
    }
}
