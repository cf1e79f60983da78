import Store
import Tenants
import Testing

@testable import IdentityProvider

/// Failed sign-ins for a client: responses and log.
struct BrowserFailureTests {
    @Test(arguments: ["access_denied", "user_cancelled_authorize"])
    func cancelledSignInRedirectsWithAccessDenied(_ error: String) async throws {
        let fixture = try BrowserSignInFixture()
        let visit = try await BrowserVisit(fixture, .apple)
        let changes: KeyValuePairs<String, String?> = ["code": nil, "error": error]
        #expect(try await fixture.response(visit.back(.appleCallback, by: "POST", changes, cookies: [])).status == 303)
        let response = try await fixture.response(visit.back(.appleCallback, ["code": nil]))
        #expect(try response.redirectError == "access_denied")
        #expect(try response.locationFields["state"] == "of the app")
        #expect(try await fixture.response(visit.back(.appleCallback)).status == 400)
        #expect(fixture.accounts.signIns.isEmpty)
    }

    @Test func providerFailureRedirectsWithOAuthError() async throws {
        let fixture = try BrowserSignInFixture()
        let failed = try await BrowserVisit(fixture)
        let response = try await fixture.response(
            failed.back(.googleCallback, ["code": nil, "error": "<b>invalid_client"])
        )
        #expect(try response.redirectError == "server_error")
        fixture.google.fail(.providerUnavailable("secret reason", isTimeout: true))
        let down = try await BrowserVisit(fixture)
        #expect(try await fixture.response(down.back(.googleCallback)).redirectError == "temporarily_unavailable")
        fixture.google.fail(.invalidToken("secret reason"))
        let refused = try await fixture.response(BrowserVisit(fixture).back(.googleCallback))
        #expect(try refused.redirectError == "access_denied")
        #expect(try #require(refused.value(of: "Location")).contains("secret") == false)
    }

    @Test func otherRoleShowsPageWithLinkBack() async throws {
        let fixture = try BrowserSignInFixture()
        fixture.accounts.fail(.otherRole("<driver>"))
        let response = try await fixture.response(BrowserVisit(fixture).back(.googleCallback))
        #expect(response.status == 409)
        #expect(response.subject == nil)
        let page = PageReading(response)
        #expect(page.text.contains("This account is registered as <driver>"))
        try #require(page.links.count == 1)
        #expect(page.links[0].hasPrefix("clanboards://oauthredirect?error=access_denied"))
        #expect(page.links[0].contains("state=of%20the%20app"))
        #expect(response.cookies.count == 1)
    }

    @Test func hookRefusalShowsPage() async throws {
        let fixture = try BrowserSignInFixture()
        fixture.accounts.fail(.refusedByHook(status: 403, message: "Ask your club"))
        let response = try await fixture.response(BrowserVisit(fixture).back(.googleCallback))
        #expect(response.status == 403)
        #expect(PageReading(response).text.contains("Ask your club"))
        fixture.accounts.fail(.unavailable(.storeUnavailable))
        let down = try await fixture.response(BrowserVisit(fixture).back(.googleCallback))
        #expect(try down.redirectError == "temporarily_unavailable")
    }

    @Test func codeThatCannotBeStoredIsNotIssued() async throws {
        let fixture = try BrowserSignInFixture()
        let visit = try await BrowserVisit(fixture)
        fixture.store.fail([.set])
        let response = try await fixture.response(visit.back(.googleCallback))
        #expect(try response.redirectError == "temporarily_unavailable")
        #expect(try response.locationFields["code"] == nil)
    }

    @Test func storeFailureInCallbackShowsPage() async throws {
        let fixture = try BrowserSignInFixture()
        let visit = try await BrowserVisit(fixture, .apple)
        for call in [WatchedStore.Call.value, .replace] {
            fixture.store.fail([call])
            #expect(try await fixture.response(visit.back(.appleCallback)).status == 503)
            #expect(try await fixture.response(visit.back(.appleCallback, by: "POST", cookies: [])).status == 503)
        }
        #expect(fixture.accounts.signIns.isEmpty)
    }

    @Test func logHasSubjectAndNoSecrets() async throws {
        let fixture = try BrowserSignInFixture()
        let visit = try await BrowserVisit(fixture)
        let response = try await fixture.response(visit.back(.googleCallback))
        _ = try await fixture.response(visit.back(.googleCallback))
        _ = try await fixture.response(BrowserVisit(web: fixture).back(.webCallback))
        let log = fixture.log.lines
        try #require(log.count == 3)
        #expect(
            log[0]
                == "info sign-in in a browser client=mobile endpoint=googleCallback outcome=signed in provider=google"
                + " request=request-1 subject=account-of-google-alice tenant=chat"
        )
        #expect(log[1].contains("outcome=sign-in over or unknown"))
        #expect(log[2].contains("endpoint=webCallback outcome=signed in"))
        let secrets = [
            "alice@example.org", visit.code, visit.requested.state, visit.requested.nonce, visit.cookies[0],
            try #require(response.locationFields["code"]),
        ]
        for secret in secrets { #expect(!log.joined().contains(secret)) }
    }

    @Test func otherEndpointIsRefused() async throws {
        let fixture = try BrowserSignInFixture()
        let answer = await fixture.endpoints.respond(to: fixture.request(.token, by: "POST", []))
        #expect(answer == .refused(.badRequest("this is not a browser endpoint")))
    }
}
