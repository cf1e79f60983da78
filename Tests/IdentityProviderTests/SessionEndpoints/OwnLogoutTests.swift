import Store
import Testing
import Time
import Verification

@testable import IdentityProvider

/// Ending a session.
@Suite struct OwnLogoutTests {
    private static let start = ExchangeFixture.start

    @Test func anAppsLogoutEndsItsSessionAlone() async throws {
        let stage = try ExchangeFixture()
        let phone = try await stage.begin()
        let browser = try await stage.begin()
        let answer = await stage.ask(.sessionLogout, bearer: phone.accessToken)
        #expect(try answer.object == ["success": true])
        #expect(try answer.response.fields.setCookies.isEmpty)
        #expect(try await !stage.isLive(phone))
        #expect(try await stage.isLive(browser))
        #expect(stage.revocations.all.map(\.target) == [.session(phone.sessionID)])
        #expect(await stage.ask(.sessionMe, "GET", bearer: phone.accessToken).refusal?.code == .tokenRevoked)
        _ = try await stage.ask(.sessionMe, "GET", cookies: try browser.cookies).object
    }

    @Test func aBrowsersLogoutClearsItsCookiesAndLeavesThePhone() async throws {
        let stage = try ExchangeFixture()
        let phone = try await stage.begin()
        let browser = try await stage.begin()
        let answer = await stage.ask(
            .sessionLogout,
            cookies: try browser.cookies,
            origin: "https://chat.example",
            fetchSite: "same-site"
        )
        #expect(try answer.response.fields.clearsCookies)
        #expect(try await !stage.isLive(browser))
        #expect(try await stage.isLive(phone))
    }

    @Test func anAppsTokenLeavesTheSessionOfCookiesThatComeAlong() async throws {
        let stage = try ExchangeFixture()
        let phone = try await stage.begin()
        let browser = try await stage.begin()
        _ = try await stage.ask(.sessionLogout, bearer: phone.accessToken, cookies: try browser.cookies).object
        #expect(try await !stage.isLive(phone))
        #expect(try await stage.isLive(browser))
    }

    @Test(arguments: [1801, 30 * 86_400 + 1000] as [Double])
    func anExpiredTokenEndsItsSessionStill(after seconds: Double) async throws {
        let stage = try ExchangeFixture()
        let tokens = try await stage.begin()
        let now = Self.start + seconds
        _ = try await stage.ask(.sessionLogout, bearer: tokens.accessToken, at: now).object
        #expect(stage.revocations.all.map(\.target) == [.session(tokens.sessionID)])
    }

    @Test func aTokenThatExpiredLongAgoDoesNot() async throws {
        let stage = try ExchangeFixture()
        let tokens = try await stage.begin()
        let now = Self.start + 1800 + 30 * 86_400 + 60
        #expect(await stage.ask(.sessionLogout, bearer: tokens.accessToken, at: now).refusal?.code == .tokenExpired)
        #expect(stage.revocations.all.isEmpty)
    }

    @Test func aRefreshTokenEndsItsSession() async throws {
        let stage = try ExchangeFixture()
        let inBody = try await stage.begin()
        _ = try await stage.ask(.sessionLogout, body: ["refresh_token": .string(try inBody.refresh)]).object
        #expect(try await !stage.isLive(inBody))
        let inCookie = try await stage.begin()
        let cookies = ["ce_access_token": "spoilt", "ce_refresh_token": try inCookie.refresh]
        #expect(try await stage.ask(.sessionLogout, cookies: cookies).response.fields.clearsCookies)
        #expect(try await !stage.isLive(inCookie))
    }

    @Test func knowingASessionsNameEndsNothing() async throws {
        let stage = try ExchangeFixture()
        let tokens = try await stage.begin()
        let id = try #require(Base64URL.decode(tokens.sessionID))
        let forged = Base64URL.encode(id + [UInt8](repeating: 7, count: 48))
        _ = try await stage.ask(.sessionLogout, body: ["refresh_token": .string(forged)]).object
        #expect(try await stage.isLive(tokens))
    }

    @Test func whatIsOverIsOverAgain() async throws {
        let stage = try ExchangeFixture()
        let tokens = try await stage.begin()
        for _ in 0..<2 {
            #expect(try await stage.ask(.sessionLogout, cookies: try tokens.cookies).response.fields.clearsCookies)
            #expect(try await stage.ask(.sessionLogout, bearer: tokens.accessToken).object == ["success": true])
            let body: JSONObject = ["refresh_token": .string(try tokens.refresh)]
            #expect(try await stage.ask(.sessionLogout, body: body).object == ["success": true])
        }
    }

    @Test func noTokenAndABadOneAreRefused() async throws {
        let stage = try ExchangeFixture()
        #expect(await stage.ask(.sessionLogout).refusal?.code == .missingToken)
        #expect(await stage.ask(.sessionLogout, bearer: "x.y.z").refusal?.code == .invalidToken)
        let spoilt = await stage.ask(.sessionLogout, cookies: ["ce_access_token": "spoilt"])
        #expect(spoilt.refusal?.code == .invalidToken)
        #expect(spoilt.refusal?.fields.clearsCookies == true)
    }

    @Test func anotherSiteLogsNobodyOut() async throws {
        let stage = try ExchangeFixture()
        let tokens = try await stage.begin()
        let answer = await stage.ask(.sessionLogout, cookies: try tokens.cookies, origin: "https://evil.example")
        #expect(answer.refusal == .crossSite)
        #expect(try await stage.isLive(tokens))
        // Nor does it take the cookies away with an app's token of its own.
        let mallory = try await stage.begin("mallory")
        let mixed = await stage.ask(
            .sessionLogout,
            bearer: mallory.accessToken,
            cookies: try tokens.cookies,
            origin: "https://evil.example"
        )
        #expect(try mixed.response.fields.setCookies.isEmpty)
    }

    @Test func anotherSiteThatIsOnlyObservedIsLetThrough() async throws {
        let stage = try ExchangeFixture(crossSiteMode: .observe)
        let tokens = try await stage.begin()
        let answer = await stage.ask(.sessionLogout, cookies: try tokens.cookies, origin: "https://evil.example")
        #expect(try answer.response.fields.clearsCookies)
        #expect(try await !stage.isLive(tokens))
    }

    @Test(arguments: [WatchedStore.Call.value, .remove, .revoke])
    func whileTheStoreIsDownNothingIsSaidToBeOver(_ call: WatchedStore.Call) async throws {
        let store = WatchedStore()
        let stage = try ExchangeFixture(store: store)
        let tokens = try await stage.begin()
        store.fail([call])
        #expect(await stage.ask(.sessionLogout, cookies: try tokens.cookies) == .refused(.storeUnavailable))
        store.onCall(nil)
        #expect(try await stage.ask(.sessionLogout, cookies: try tokens.cookies).response.fields.clearsCookies)
        #expect(try await !stage.isLive(tokens))
    }

    @Test func aTokenOfNoSessionIsRevokedItself() async throws {
        let stage = try ExchangeFixture()
        let claims: JSONObject = [
            "iss": "https://chat.example", "sub": "alice", "aud": "chat-api", "jti": "t-1",
            "exp": .number(JSONNumber(Int(Self.start.seconds) + 600)),
        ]
        let key = try #require(TestKeys.p256)
        let keyID = try #require(key.thumbprint)
        let token = try TokenSigner(key, algorithm: .es256, keyID: keyID).sign(claims, header: ["typ": "at+jwt"])
        _ = try await stage.ask(.sessionLogout, bearer: token).object
        let issuer = "https://chat.example"
        #expect(stage.revocations.all.map(\.target) == [.token(issuer: issuer, tokenID: "t-1")])
        #expect(stage.revocations.all.allSatisfy { $0.expiresAt > Self.start + 600 })
    }
}
