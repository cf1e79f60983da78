import Store
import TestSupport
import Testing
import Time

@testable import IdentityProvider
@testable import Tenants

/// Callbacks from providers, and forged ones.
struct BrowserCallbackTests {
    @Test func googleSignInRedirectsToClientWithCode() async throws {
        let fixture = try BrowserSignInFixture()
        let visit = try await BrowserVisit(fixture)
        let response = try await fixture.response(visit.back(.googleCallback))
        #expect(response.status == 303)
        #expect(try #require(response.value(of: "Location")).hasPrefix("clanboards://oauthredirect?code="))
        #expect(response.subject == "account-of-google-alice")
        let fields = try response.locationFields
        #expect(fields["state"] == "of the app")
        #expect(fields["iss"] == "https://chat.example")
        let code = try #require(fields["code"])
        guard case .fresh(let grant, _) = try await fixture.codes.find(code, at: BrowserSignInFixture.start + 6) else {
            throw Unexpected(what: "no code")
        }
        let expected = CodeGrant(
            clientID: "mobile",
            redirectURI: "clanboards://oauthredirect",
            codeChallenge: BrowserSignInFixture.challenge,
            scopes: ["openid", "email"],
            nonce: "n-1",
            subject: "account-of-google-alice",
            provider: "google",
            device: "Telephone 1",
            signedInAt: BrowserSignInFixture.start + 5,
            authenticatedAt: BrowserSignInFixture.start + 5,
            singleSignOn: grant.singleSignOn,
            issuedAt: BrowserSignInFixture.start + 5
        )
        #expect(grant == expected)
        let name = try #require(visit.cookies.first?.prefix { $0 != "=" })
        #expect(grant.singleSignOn != nil)
        let cookies = response.cookies.filter { !$0.contains("single-sign-on") }
        #expect(cookies == ["\(name)=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0"])
    }

    @Test func crossSiteApplePostIsStoredUntilBrowserSendsCookie() async throws {
        let fixture = try BrowserSignInFixture()
        let visit = try await BrowserVisit(fixture, .apple)
        let user = #"{"name":{"firstName":"Alice","lastName":"Liddell"},"email":"forged@evil.example"}"#
        let posted = try await fixture.response(visit.back(.appleCallback, by: "POST", ["user": user], cookies: []))
        #expect(posted.status == 303)
        let again = FormText.url(
            "https://chat.example/id/oauth2/callback/apple",
            adding: [("state", visit.requested.state)]
        )
        #expect(posted.value(of: "Location") == again)
        #expect(posted.cookies.isEmpty)
        #expect(fixture.accounts.signIns.isEmpty)
        let reloaded = try await fixture.response(visit.back(.appleCallback, by: "POST", ["user": user], cookies: []))
        #expect(reloaded.value(of: "Location") == again)
        let response = try await fixture.response(visit.back(.appleCallback, ["code": nil]))
        #expect(try response.locationFields["code"] != nil)
        #expect(fixture.accounts.signIns == [.init(subject: "apple-alice", givenName: "Alice Liddell")])
    }

    @Test func postWithCookieCompletesAtOnce() async throws {
        let fixture = try BrowserSignInFixture()
        let visit = try await BrowserVisit(fixture, .apple)
        let response = try await fixture.response(visit.back(.appleCallback, by: "POST"))
        #expect(try response.locationFields["code"] != nil)
    }

    @Test func secondPostWithAnotherCodeIsRefused() async throws {
        let fixture = try BrowserSignInFixture()
        let visit = try await BrowserVisit(fixture, .apple)
        _ = try await fixture.response(visit.back(.appleCallback, by: "POST", cookies: []))
        let other = try await fixture.response(visit.back(.appleCallback, by: "POST", ["code": "other"], cookies: []))
        #expect(other.status == 400)
        let mixed = try await fixture.response(visit.back(.appleCallback, ["code": "other"]))
        #expect(mixed.status == 400)
        #expect(try await fixture.response(visit.back(.appleCallback, ["code": nil])).status == 303)
    }

    @Test func callbackFromAnotherBrowserIsRefusedWithoutEndingSignIn() async throws {
        let fixture = try BrowserSignInFixture()
        let victim = try await BrowserVisit(fixture)
        let attacker = try await BrowserVisit(fixture)
        let name = try #require(attacker.cookies.first?.prefix { $0 != "=" })
        let value = try #require(victim.cookies.first?.split(separator: "=").last)
        for cookies in [[], victim.cookies, ["\(name)=\(value)"], ["\(name)="], attacker.cookies + ["\(name)=x"]] {
            let response = try await fixture.response(attacker.back(.googleCallback, cookies: cookies))
            #expect(response.status == 400)
            #expect(response.cookies.isEmpty)
        }
        #expect(fixture.accounts.signIns.isEmpty)
        // The right browser can still complete it.
        #expect(try await fixture.response(attacker.back(.googleCallback)).status == 303)
    }

    @Test func signInsInTwoWindowsDoNotInterfere() async throws {
        let fixture = try BrowserSignInFixture()
        let first = try await BrowserVisit(fixture)
        let second = try await BrowserVisit(fixture, .apple, BrowserSignInFixture.parameters(["state": "second"]))
        let jar = [(first.cookies + second.cookies).joined(separator: "; ")]
        let late = try await fixture.response(second.back(.appleCallback, cookies: jar))
        #expect(try late.locationFields["state"] == "second")
        let early = try await fixture.response(first.back(.googleCallback, cookies: jar))
        #expect(try early.locationFields["state"] == "of the app")
    }

    @Test func postedCodeIsRefusedForAnotherBrowser() async throws {
        let fixture = try BrowserSignInFixture()
        let attacker = try await BrowserVisit(fixture, .apple)
        _ = try await fixture.response(attacker.back(.appleCallback, by: "POST", cookies: []))
        let victim = try await BrowserVisit(fixture, .apple)
        let response = try await fixture.response(attacker.back(.appleCallback, ["code": nil], cookies: victim.cookies))
        #expect(response.status == 400)
        #expect(fixture.accounts.signIns.isEmpty)
    }

    @Test func responseOfOtherProviderIsRefused() async throws {
        let fixture = try BrowserSignInFixture()
        let visit = try await BrowserVisit(fixture, .google)
        let swapped = String(visit.requested.state.dropLast()) + "a"
        for (endpoint, state) in [(Endpoint.appleCallback, visit.requested.state), (.googleCallback, swapped)] {
            #expect(try await fixture.response(visit.back(endpoint, ["state": state])).status == 400)
        }
        #expect(fixture.accounts.signIns.isEmpty)
        // With the other provider's state, that provider refuses the code.
        let other = try await fixture.response(visit.back(.appleCallback, ["state": swapped]))
        #expect(try other.redirectError == "access_denied")
        #expect(fixture.accounts.signIns.isEmpty)
    }

    @Test func pageAndCookieSignInsAreNotInterchangeable() async throws {
        let fixture = try BrowserSignInFixture()
        let page = try await BrowserVisit(fixture, .google)
        #expect(try await fixture.response(page.back(.webCallback)).status == 400)
        let web = try await BrowserVisit(web: fixture)
        #expect(try await fixture.response(web.back(.googleCallback)).status == 400)
        #expect(fixture.accounts.signIns.isEmpty)
    }

    @Test func foreignIssuerInGoogleResponseIsRefused() async throws {
        let fixture = try BrowserSignInFixture()
        let visit = try await BrowserVisit(fixture)
        for issuer in ["https://evil.example", "https://accounts.google.com/", "https://Accounts.google.com"] {
            #expect(try await fixture.response(visit.back(.googleCallback, ["iss": issuer])).status == 400)
        }
        let response = try await fixture.response(visit.back(.googleCallback, ["iss": "https://accounts.google.com"]))
        #expect(response.status == 303)
    }

    static let forged: [KeyValuePairs<String, String?>] = [
        ["state": nil], ["state": "x.g"], ["state": ".g"], ["state": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.g"],
        ["state": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.x"],
        ["state": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"], ["code": nil], ["error": "access_denied"],
        ["code": String(repeating: "c", count: 4097)],
    ]

    @Test(arguments: forged.indices)
    func forgedCallbackIsRefused(_ index: Int) async throws {
        let fixture = try BrowserSignInFixture()
        let visit = try await BrowserVisit(fixture)
        #expect(try await fixture.response(visit.back(.googleCallback, Self.forged[index])).status == 400)
        #expect(fixture.accounts.signIns.isEmpty)
    }

    @Test func expiredSignInIsRefused() async throws {
        let fixture = try BrowserSignInFixture()
        let visit = try await BrowserVisit(fixture)
        let late = try await fixture.response(visit.back(.googleCallback, at: BrowserSignInFixture.start + 600))
        #expect(late.status == 400)
        let inTime = try await fixture.response(visit.back(.googleCallback, at: BrowserSignInFixture.start + 599.9))
        #expect(inTime.status == 303)
    }

    @Test func usedSignInIsRefused() async throws {
        let fixture = try BrowserSignInFixture()
        let visit = try await BrowserVisit(fixture)
        #expect(try await fixture.response(visit.back(.googleCallback)).status == 303)
        let second = try await fixture.response(visit.back(.googleCallback))
        #expect(second.status == 400)
        #expect(fixture.accounts.signIns.count == 1)
    }

    @Test func oneOfManyConcurrentCallbacksSucceeds() async throws {
        let fixture = try BrowserSignInFixture()
        let visit = try await BrowserVisit(fixture)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<16 { group.addTask { try await fixture.response(visit.back(.googleCallback)).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 303 } == 1)
        #expect(statuses.count { $0 == 400 } == 15)
        #expect(fixture.accounts.signIns.count == 1)
    }

    @Test func callbackOvertakenByAnotherIsRefused() async throws {
        let fixture = try BrowserSignInFixture()
        let visit = try await BrowserVisit(fixture)
        let isFirst = Tally()
        fixture.store.onCall { (call) async throws(StoreError) in
            // Another callback completes between read and consume.
            guard call == .replace, isFirst.next() == 1 else { return }
            _ = try? await fixture.response(visit.back(.googleCallback))
        }
        #expect(try await fixture.response(visit.back(.googleCallback)).status == 400)
        #expect(fixture.accounts.signIns.count == 1)
    }
}
