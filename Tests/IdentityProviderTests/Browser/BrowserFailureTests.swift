import Store
import Tenants
import Testing

@testable import IdentityProvider

/// Sign-ins for a client that come to nothing: who is told, and what the log says.
struct BrowserFailureTests {
    @Test(arguments: ["access_denied", "user_cancelled_authorize"])
    func cancellingAtTheProviderIsToldToTheClient(_ error: String) async throws {
        let house = try BrowserHouse()
        let visit = try await BrowserVisit(house, .apple)
        let changes: KeyValuePairs<String, String?> = ["code": nil, "error": error]
        #expect(try await house.response(visit.back(.appleCallback, by: "POST", changes, cookies: [])).status == 303)
        let response = try await house.response(visit.back(.appleCallback, ["code": nil]))
        #expect(try response.toldError == "access_denied")
        #expect(try response.locationFields["state"] == "of the app")
        #expect(try await house.response(visit.back(.appleCallback)).status == 400)
        #expect(house.accounts.calls.isEmpty)
    }

    @Test func troubleIsToldToTheClientInItsWords() async throws {
        let house = try BrowserHouse()
        let failed = try await BrowserVisit(house)
        let response = try await house.response(
            failed.back(.googleCallback, ["code": nil, "error": "<b>invalid_client"])
        )
        #expect(try response.toldError == "server_error")
        house.google.fail(.providerUnavailable("secret reason", isTimeout: true))
        let down = try await BrowserVisit(house)
        #expect(try await house.response(down.back(.googleCallback)).toldError == "temporarily_unavailable")
        house.google.fail(.invalidToken("secret reason"))
        let refused = try await house.response(BrowserVisit(house).back(.googleCallback))
        #expect(try refused.toldError == "access_denied")
        #expect(try #require(refused.value(of: "Location")).contains("secret") == false)
    }

    @Test func otherRoleIsAPageWithALinkBack() async throws {
        let house = try BrowserHouse()
        house.accounts.refuse(.otherRole("This account is registered as a <driver>"))
        let response = try await house.response(BrowserVisit(house).back(.googleCallback))
        #expect(response.status == 409)
        #expect(response.subject == nil)
        let page = PageReading(response)
        #expect(page.text.contains("This account is registered as a <driver>"))
        try #require(page.links.count == 1)
        #expect(page.links[0].hasPrefix("clanboards://oauthredirect?error=access_denied"))
        #expect(page.links[0].contains("state=of%20the%20app"))
        #expect(response.cookies.count == 1)
    }

    @Test func refusalOfTheHookIsAPage() async throws {
        let house = try BrowserHouse()
        house.accounts.refuse(.refusedByHook(status: 403, message: "Ask your club"))
        let response = try await house.response(BrowserVisit(house).back(.googleCallback))
        #expect(response.status == 403)
        #expect(PageReading(response).text.contains("Ask your club"))
        house.accounts.refuse(.unavailable(.storeUnavailable))
        let down = try await house.response(BrowserVisit(house).back(.googleCallback))
        #expect(try down.toldError == "temporarily_unavailable")
    }

    @Test func codeThatCannotBeKeptIsNotGivenOut() async throws {
        let house = try BrowserHouse()
        let visit = try await BrowserVisit(house)
        house.store.fail([.set])
        let response = try await house.response(visit.back(.googleCallback))
        #expect(try response.toldError == "temporarily_unavailable")
        #expect(try response.locationFields["code"] == nil)
    }

    @Test func callbackWithoutTheStoreIsAPage() async throws {
        let house = try BrowserHouse()
        let visit = try await BrowserVisit(house, .apple)
        for call in [WatchedStore.Call.value, .replace] {
            house.store.fail([call])
            #expect(try await house.response(visit.back(.appleCallback)).status == 503)
            #expect(try await house.response(visit.back(.appleCallback, by: "POST", cookies: [])).status == 503)
        }
        #expect(house.accounts.calls.isEmpty)
    }

    @Test func logSaysWhoSignedInAndNothingSecret() async throws {
        let house = try BrowserHouse()
        let visit = try await BrowserVisit(house)
        let response = try await house.response(visit.back(.googleCallback))
        _ = try await house.response(visit.back(.googleCallback))
        _ = try await house.response(BrowserVisit(web: house).back(.webCallback))
        let log = house.log.lines
        try #require(log.count == 3)
        #expect(
            log[0]
                == "info sign-in in a browser client=mobile endpoint=googleCallback outcome=signed in provider=google"
                + " request=request-1 subject=account of google-alice tenant=chat"
        )
        #expect(log[1].contains("outcome=sign-in over or unknown"))
        #expect(log[2].contains("endpoint=webCallback outcome=signed in"))
        let secrets = [
            "alice@example.org", visit.code, visit.asked.state, visit.asked.nonce, visit.cookies[0],
            try #require(response.locationFields["code"]),
        ]
        for secret in secrets { #expect(!log.joined().contains(secret)) }
    }

    @Test func endpointsOfOthersAreNotAnswered() async throws {
        let house = try BrowserHouse()
        let answer = await house.endpoints.answer(house.request(.token, by: "POST", []))
        #expect(answer == .refused(.badRequest("this is no endpoint for browsers")))
    }
}
