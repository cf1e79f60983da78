import Tenants
import Testing
import Time
import Verification

@testable import IdentityProvider

/// The tenant's own sign-in in a browser, which ends with cookies.
struct WebSignInTests {
    @Test func loginRedirectsToProvider() async throws {
        let fixture = try BrowserSignInFixture()
        let response = try await fixture.response(fixture.request(.webLogin, []))
        #expect(response.status == 303)
        #expect(try #require(response.value(of: "Location")).hasPrefix("https://google.example/authorize?"))
        #expect(try response.locationFields["redirect_uri"] == "https://chat.example/login/callback")
        #expect(response.cookies.count == 1)
        #expect(try await fixture.response(fixture.request(.webLogin, by: "POST", [])).value(of: "Allow") == "GET")
    }

    @Test func signInSetsAccessAndRefreshCookies() async throws {
        let fixture = try BrowserSignInFixture()
        let visit = try await BrowserVisit(web: fixture)
        let response = try await fixture.response(visit.back(.webCallback))
        #expect(response.status == 303)
        #expect(response.value(of: "Location") == "https://app.chat.example/home")
        #expect(response.subject == "account-of-google-alice")
        let attributes = "; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age="
        let (access, refresh) = (try #require(response.cookies.first), try #require(response.cookies.dropFirst().first))
        try #require(response.cookies.count == 3)
        #expect(access.hasPrefix("chat_access=") && access.hasSuffix("\(attributes)1800"))
        #expect(refresh.hasPrefix("chat_refresh=") && refresh.hasSuffix("\(attributes)\(30 * 86_400)"))
        #expect(response.cookies[2].hasSuffix("\(attributes)0"))
        let token = access.dropFirst("chat_access=".count).prefix { $0 != ";" }
        let claims = try fixture.service.claims(String(token))
        #expect(claims["sub"] == "account-of-google-alice")
        let sessionID = try #require(claims["sid"]?.string)
        let session = try #require(
            try await fixture.service.sessions.session(sessionID, at: BrowserSignInFixture.start + 6)
        )
        #expect(session.device == "Telephone 1")
        #expect(session.claims["role"] == "customer")
        #expect(session.beganInBrowser)
    }

    @Test func cookiesHaveTheTenantsRules() async throws {
        let rules = CookieRules(domain: "chat.example", sameSite: .none)
        let fixture = try BrowserSignInFixture(cookieRules: rules)
        let visit = try await BrowserVisit(web: fixture)
        let response = try await fixture.response(visit.back(.webCallback))
        try #require(response.cookies.count == 5)
        let attributes = "; Path=/; HttpOnly; SameSite=None; Secure; Domain=chat.example; Max-Age="
        #expect(response.cookies[1].hasPrefix("chat_access=") && response.cookies[1].contains(attributes))
        #expect(response.cookies[3].hasPrefix("chat_refresh=") && response.cookies[3].contains(attributes))
        // A cookie of the host's own, from before there was a domain, would be sent beside them.
        let gone = "=; Path=/; HttpOnly; SameSite=None; Secure; Max-Age=0"
        #expect(response.cookies[0] == "chat_access\(gone)" && response.cookies[2] == "chat_refresh\(gone)")
        // The cookie of the sign-in itself is the host's own.
        #expect(response.cookies[4].hasPrefix("__Host-") && !response.cookies[4].contains("Domain"))
    }

    /// A redirect that began at a provider's page would not have cookies with SameSite=Strict.
    @Test func strictCookiesAreFollowedByPageOfOurs() async throws {
        let fixture = try BrowserSignInFixture(cookieRules: CookieRules(sameSite: .strict))
        let visit = try await BrowserVisit(web: fixture, after: "/a?b=c&d=e")
        let response = try await fixture.response(visit.back(.webCallback))
        #expect(response.status == 200)
        #expect(response.value(of: "Refresh") == "0; url=https://app.chat.example/a?b=c&d=e")
        #expect(response.text.contains("href=\"https://app.chat.example/a?b=c&amp;d=e\""))
        #expect(response.cookies.prefix(2).allSatisfy { $0.contains("; SameSite=Strict; Secure; ") })
        #expect(response.subject == "account-of-google-alice")
    }

    @Test func plantedSessionIsReplaced() async throws {
        let fixture = try BrowserSignInFixture()
        let planted = try await fixture.service.signIn("mallory")
        let visit = try await BrowserVisit(web: fixture)
        let old = ["chat_access=\(planted.accessToken); chat_refresh=\(try planted.refresh)"]
        var request = visit.back(.webCallback, cookies: visit.cookies + old)
        request.presentedToken = PresentedToken(token: planted.accessToken, cookie: "chat_access")
        let response = try await fixture.response(request)
        let token = try #require(response.cookies.first).dropFirst("chat_access=".count).prefix { $0 != ";" }
        let claims = try fixture.service.claims(String(token))
        #expect(claims["sub"] == "account-of-google-alice")
        #expect(claims["sid"] != .string(planted.sessionID))
    }

    @Test func applePostIsAcceptedForCookieSignIn() async throws {
        let fixture = try BrowserSignInFixture(web: .apple)
        let visit = try await BrowserVisit(web: fixture)
        let posted = try await fixture.response(visit.back(.webCallback, by: "POST", cookies: []))
        let again = FormText.url("https://chat.example/login/callback", adding: [("state", visit.requested.state)])
        #expect(posted.value(of: "Location") == again)
        let response = try await fixture.response(visit.back(.webCallback, ["code": nil]))
        #expect(response.cookies.count == 3)
    }

    // MARK: Proof

    private static let account = "https://chat.example/account"

    private static func accountFixture() throws -> BrowserSignInFixture {
        try BrowserSignInFixture(after: "https://chat.example/", accountPage: "/account")
    }

    private static func session(_ response: EndpointResponse, _ fixture: BrowserSignInFixture) async throws
        -> IssuerSession
    {
        let cookie = try #require(response.cookies.first { $0.hasPrefix("chat_access=") })
        let claims = try fixture.service.claims(String(cookie.dropFirst("chat_access=".count).prefix { $0 != ";" }))
        let id = try #require(claims["sid"]?.string)
        return try #require(try await fixture.service.sessions.session(id, at: BrowserSignInFixture.start + 6))
    }

    @Test func sessionIsProvenIfTheProviderWasAskedAnew() async throws {
        let fixture = try Self.accountFixture()
        let asked = try await BrowserVisit(web: fixture, after: Self.account)
        #expect(asked.requested.isAskedAnew)
        #expect(try await Self.session(fixture.response(asked.back(.webCallback)), fixture).isProven)
        let other = try await BrowserVisit(web: fixture)
        #expect(!other.requested.isAskedAnew)
        #expect(try await !Self.session(fixture.response(other.back(.webCallback)), fixture).isProven)
    }

    /// The provider was asked nothing there, whatever the account page of the host where the response is carried to.
    @Test func signInEndsAtTheHostWhereItBegan() async throws {
        let fixture = try Self.accountFixture()
        let visit = try await BrowserVisit(web: fixture, after: Self.account, at: "shop.example")
        #expect(visit.requested.redirectURI == "https://shop.example/login/callback")
        #expect(!visit.requested.isAskedAnew)
        let carried = try await fixture.response(visit.back(.webCallback))
        #expect(carried.status == 400 && carried.cookies.isEmpty)
        #expect(fixture.accounts.signIns.isEmpty)
        // It is still good where it belongs, and proves nothing.
        var back = visit.back(.webCallback)
        back.authority = "shop.example"
        #expect(try await !Self.session(fixture.response(back), fixture).isProven)
    }

    @Test func postedResponseIsKeptAtItsOwnHostAlone() async throws {
        let fixture = try BrowserSignInFixture(web: .apple)
        let visit = try await BrowserVisit(web: fixture)
        var carried = visit.back(.webCallback, by: "POST", cookies: [])
        carried.authority = "shop.example"
        #expect(try await fixture.response(carried).status == 400)
        #expect(try await fixture.response(visit.back(.webCallback, by: "POST", cookies: [])).status == 303)
    }

    /// Hosts with another port, scheme or path are others; a default port and a slash at the end make no difference.
    @Test(arguments: [
        ("chat.example:8443", true, "/login/callback", false), ("chat.example", false, "/login/callback", false),
        ("chat.example.evil.example", true, "/login/callback", false), ("chat.exampl", true, "/login/callback", false),
        ("chat.example", true, "/login/callback/google", false), ("chat.example", true, "/", false),
        ("chat.example", true, "/login/%zz", false), ("chat.example:443", true, "/login/callback", true),
        ("CHAT.example", true, "/login/callback/", true), ("chat.example", true, "/login/%63allback", true),
    ])
    func legReturnsToItsOriginAndPath(_ authority: String, _ isSecure: Bool, _ path: String, _ isReturned: Bool) {
        let leg = SignInTransaction.Leg(
            nonce: "n",
            codeVerifier: "v",
            redirectURI: "https://chat.example/login/callback"
        )
        var request = EndpointRequest(
            endpoint: .webCallback,
            method: "GET",
            path: path,
            isSecure: isSecure,
            authority: authority,
            now: 0
        )
        #expect(leg.isReturned(to: request) == isReturned)
        // Behind a proxy that does not tell the scheme, either may be meant.
        guard authority == "chat.example", path == "/login/callback" else { return }
        request.isSchemeKnown = false
        #expect(leg.isReturned(to: request))
    }

    static let good = [
        ("/", "https://app.chat.example/"), ("/a?b=c", "https://app.chat.example/a?b=c"),
        ("https://app.chat.example", "https://app.chat.example"),
        ("https://app.chat.example/x#y", "https://app.chat.example/x#y"),
        ("https://app.chat.example?x", "https://app.chat.example?x"),
        ("/..//evil.example", "https://app.chat.example/..//evil.example"),
        ("/https://evil.example", "https://app.chat.example/https://evil.example"),
        ("/caf%C3%A9", "https://app.chat.example/caf%C3%A9"),
    ]

    @Test(arguments: good)
    func afterOnSameOriginIsFollowed(_ after: String, _ url: String) async throws {
        let fixture = try BrowserSignInFixture()
        let visit = try await BrowserVisit(web: fixture, after: after)
        #expect(try await fixture.response(visit.back(.webCallback)).value(of: "Location") == url)
    }

    static let foreign = [
        "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "/\t/evil.example",
        "/\n/evil.example", "https://evil.example", "https:evil.example", "https://app.chat.example.evil.example/",
        "https://app.chat.example@evil.example/", "https://app.chat.example:8443/", "https://app.chat.example:443/",
        "https://app.chat.example\\@evil.example", "https://APP.chat.example/", "http://app.chat.example/",
        "HTTPS://app.chat.example/", "https://user@app.chat.example/", "https://chat.example/home", "home", "?x", "#x",
        " /", " https://app.chat.example/", "javascript:alert(1)", "data:text/html,x", "/a b", "/é", "/\u{0}",
        "https://app.chat.exampl", "https:/app.chat.example/", "https://app%2Echat.example/", "/a\r\nSet-Cookie: x=y",
        "/" + String(repeating: "a", count: 8192), "https://app.chat.example;.evil.example/", "/\u{7F}",
    ]

    @Test(arguments: foreign)
    func afterOnAnotherOriginIsRefused(_ after: String) async throws {
        let fixture = try BrowserSignInFixture()
        let response = try await fixture.response(fixture.request(.webLogin, [("after", after)]))
        #expect(response.status == 400)
        #expect(response.cookies.isEmpty)
        #expect(!response.text.contains("evil"))
    }

    @Test func cancelledSignInRedirectsBackWithError() async throws {
        let fixture = try BrowserSignInFixture()
        for (after, url) in [
            ("/x", "https://app.chat.example/x?error=access_denied"),
            ("/x?y=z#part", "https://app.chat.example/x?y=z&error=access_denied#part"),
        ] {
            let visit = try await BrowserVisit(web: fixture, after: after)
            let response = try await fixture.response(
                visit.back(.webCallback, ["code": nil, "error": "access_denied"])
            )
            #expect(response.value(of: "Location") == url)
            #expect(response.cookies.count == 1)
        }
        #expect(fixture.accounts.signIns.isEmpty)
    }

    @Test func failureShowsPageAndClearsBindingCookie() async throws {
        let fixture = try BrowserSignInFixture()
        fixture.web.fail(.invalidToken("secret reason"))
        let refused = try await fixture.response(BrowserVisit(web: fixture).back(.webCallback))
        #expect(refused.status == 401)
        #expect(!refused.text.contains("secret reason"))
        #expect(refused.cookies.count == 1 && refused.cookies[0].hasSuffix("Max-Age=0"))
        fixture.web.fail(.providerUnavailable("secret reason"))
        let down = try await fixture.response(BrowserVisit(web: fixture).back(.webCallback))
        #expect(down.status == 503)
        #expect(down.value(of: "Retry-After") == "2")
    }

    @Test func storeFailureSignsNobodyIn() async throws {
        let fixture = try BrowserSignInFixture()
        let visit = try await BrowserVisit(web: fixture)
        fixture.store.fail([.value])
        #expect(try await fixture.response(visit.back(.webCallback)).status == 503)
        fixture.store.fail([.replace])
        #expect(try await fixture.response(visit.back(.webCallback)).status == 503)
        fixture.store.fail([.set])
        #expect(try await fixture.response(fixture.request(.webLogin, [])).status == 503)
        let response = try await fixture.response(visit.back(.webCallback))
        #expect(response.status == 503)
        #expect(response.cookies.count == 1)
    }

    @Test func errorIsAddedBeforeFragment() {
        #expect(PostSignInTarget.url("https://a.example/#x?y", error: "e") == "https://a.example/?error=e#x?y")
        #expect(PostSignInTarget.url("https://a.example/?b=c", error: "e") == "https://a.example/?b=c&error=e")
    }
}
