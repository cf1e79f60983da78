import Store
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// Single sign-on at the authorization endpoint, with the store.
struct SingleSignOnTests {
    private static let start = BrowserSignInFixture.start
    private static let board: KeyValuePairs<String, String?> = [
        "client_id": "board", "redirect_uri": "https://board.example/back", "scope": "openid",
    ]

    /// A browser that has signed in by Google for the app.
    private struct Browser {
        let fixture: BrowserSignInFixture
        var cookies: [String]

        init(_ fixture: BrowserSignInFixture, _ changes: KeyValuePairs<String, String?> = [:]) async throws {
            self.fixture = fixture
            let visit = try await BrowserVisit(fixture, .google, BrowserSignInFixture.parameters(changes))
            let response = try await fixture.response(visit.back(.googleCallback))
            #expect(try response.redirectError == nil)
            cookies = Self.kept(response)
        }

        /// The cookies that a browser keeps of a response.
        static func kept(_ response: EndpointResponse) -> [String] {
            response.cookies.filter { !$0.contains("Max-Age=0") }.map { String($0.prefix { $0 != ";" }) }
        }

        func authorize(
            _ changes: KeyValuePairs<String, String?>,
            at now: UnixTime = start + 60
        ) async throws -> EndpointResponse {
            let parameters = BrowserSignInFixture.parameters(changes)
            return try await fixture.response(fixture.request(.authorize, parameters, cookies: cookies, at: now))
        }

        func grant(_ response: EndpointResponse, at now: UnixTime = start + 61) async throws -> CodeGrant {
            let code = try #require(try response.locationFields["code"])
            guard case .fresh(let grant, _) = try await fixture.codes.find(code, at: now) else {
                throw Unexpected(what: "no code")
            }
            return grant
        }
    }

    @Test func signInSetsNewCookieOfTheHost() async throws {
        let fixture = try BrowserSignInFixture()
        let visit = try await BrowserVisit(fixture)
        let response = try await fixture.response(visit.back(.googleCallback))
        let cookie = try #require(response.cookies.first { $0.contains("single-sign-on") })
        #expect(cookie.hasPrefix("__Host-gatehouse-single-sign-on-"))
        #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=43200"))
        let value = try #require(Base64URL.decode(String(cookie.prefix { $0 != ";" }.drop { $0 != "=" }.dropFirst())))
        #expect(value.count == 32)
        #expect(fixture.counts.snapshot().singleSignOns[.init(tenant: "chat", event: .begun)] == 1)
    }

    @Test func secondClientGetsCodeWithoutPage() async throws {
        let browser = try await Browser(BrowserSignInFixture())
        let response = try await browser.authorize(Self.board)
        #expect(response.status == 303)
        let grant = try await browser.grant(response)
        #expect(grant.clientID == "board" && grant.subject == "account-of-google-alice")
        #expect(grant.signedInAt == Self.start + 5 && grant.authenticatedAt == Self.start + 5)
        #expect(grant.provider == "google" && grant.singleSignOn != nil)
        #expect(browser.fixture.counts.snapshot().singleSignOns[.init(tenant: "chat", event: .used)] == 1)
    }

    /// A script that somebody has got into a page of the host would read the code, and redeem it with its own verifier.
    @Test(arguments: [("cors", "empty"), ("same-origin", "empty"), ("navigate", "iframe"), ("no-cors", "image")])
    func onlyWindowGetsCode(_ mode: String, _ destination: String) async throws {
        let browser = try await Browser(BrowserSignInFixture())
        func ask(_ changes: KeyValuePairs<String, String?>) async throws -> EndpointResponse {
            let parameters = BrowserSignInFixture.parameters(changes)
            var request = browser.fixture.request(
                .authorize,
                parameters,
                cookies: browser.cookies,
                at: Self.start + 60
            )
            (request.fields.secFetchMode, request.fields.secFetchDest) = (mode, destination)
            return try await browser.fixture.response(request)
        }
        let page = try await ask(Self.board)
        #expect(page.status == 200 && !page.text.contains("Continue as"))
        let silent: KeyValuePairs<String, String?> = [
            "client_id": "board", "redirect_uri": "https://board.example/back", "scope": "openid", "prompt": "none",
        ]
        #expect(try await ask(silent).redirectError == "login_required")
    }

    @Test func scriptCannotPressTheButton() async throws {
        let browser = try await Browser(BrowserSignInFixture())
        let page = try await browser.authorize([:])
        #expect(page.value(of: "Cross-Origin-Embedder-Policy") == "require-corp")
        let input = try #require(PageReading(page).all("input").first { $0.attributes["name"] == "sign_in" })
        let state = try #require(input.attributes["value"])
        var request = browser.fixture.request(
            .authorize,
            by: "POST",
            [("sign_in", state)],
            cookies: browser.cookies + Browser.kept(page),
            at: Self.start + 61
        )
        request.fields.secFetchMode = "same-origin"
        #expect(try await browser.fixture.response(request).status == 400)
        request.fields.secFetchMode = "navigate"
        #expect(try await browser.fixture.response(request).status == 303)
    }

    @Test func sessionIsOverAfterItsTime() async throws {
        let browser = try await Browser(BrowserSignInFixture())
        let last = Self.start + 5 + 43_199
        #expect(try await browser.authorize(Self.board, at: last).status == 303)
        #expect(try await browser.authorize(Self.board, at: last + 1).status == 200)
    }

    @Test func appWithOwnSchemeGetsButtonThatGoesOn() async throws {
        let browser = try await Browser(BrowserSignInFixture())
        let page = try await browser.authorize([:])
        #expect(page.status == 200)
        #expect(page.text.contains("Continue as"))
        #expect(page.text.contains("alice@example.org"))
        let policy = try #require(page.value(of: "Content-Security-Policy"))
        #expect(policy.contains("form-action chat.example/id/oauth2/authorize clanboards:;"))
        let reading = PageReading(page)
        #expect(reading.isBalanced && reading.links.contains { $0.contains("google.example") })
        let state = try #require(
            reading.all("input").first { $0.attributes["name"] == "sign_in" }?.attributes["value"]
        )
        let fixture = browser.fixture
        func goOn(_ cookies: [String]) async throws -> EndpointResponse {
            try await fixture.response(
                fixture.request(.authorize, by: "POST", [("sign_in", state)], cookies: cookies, at: Self.start + 61)
            )
        }
        // Neither cookie alone is enough.
        let binding = Browser.kept(page)
        #expect(try await goOn(browser.cookies).status == 400)
        #expect(try await goOn(binding).status == 400)
        let response = try await goOn(browser.cookies + binding)
        #expect(try #require(response.value(of: "Location")).hasPrefix("clanboards://oauthredirect?code="))
        #expect(try await browser.grant(response).clientID == "mobile")
        // Once.
        #expect(try await goOn(browser.cookies + binding).status == 400)
        #expect(fixture.counts.snapshot().singleSignOns[.init(tenant: "chat", event: .continued)] == 1)
    }

    @Test func buttonIsForTheShownSessionAlone() async throws {
        let fixture = try BrowserSignInFixture()
        let browser = try await Browser(fixture)
        let page = try await browser.authorize([:])
        let state = try #require(
            PageReading(page).all("input").first { $0.attributes["name"] == "sign_in" }?.attributes["value"]
        )
        let other = try await Browser(fixture)
        let response = try await fixture.response(
            fixture.request(.authorize, by: "POST", [("sign_in", state)], cookies: other.cookies + Browser.kept(page))
        )
        #expect(response.status == 400)
    }

    @Test func silentRequestGetsCodeOrError() async throws {
        let browser = try await Browser(BrowserSignInFixture())
        let silent: KeyValuePairs<String, String?> = [
            "client_id": "board", "redirect_uri": "https://board.example/back", "scope": "openid", "prompt": "none",
        ]
        #expect(try await browser.authorize(silent).locationFields["code"] != nil)
        #expect(try await browser.authorize(["prompt": "none"]).redirectError == "interaction_required")
        let stranger = try BrowserSignInFixture()
        #expect(try await stranger.authorize(BrowserSignInFixture.parameters(silent)).redirectError == "login_required")
    }

    @Test func revokedOrDeletedSubjectHasNone() async throws {
        let store = WatchedStore()
        let fixture = try BrowserSignInFixture(store: store, revocations: StoredRevocations(store: store))
        let browser = try await Browser(fixture)
        try await fixture.service.sessions.endAll(
            ofSubject: "account-of-google-alice",
            before: Self.start + 30,
            at: Self.start + 30,
            reason: "signed out"
        )
        #expect(try await browser.authorize(Self.board).status == 200)

        let deleted = try await Browser(BrowserSignInFixture())
        deleted.fixture.accounts.removeAll()
        #expect(try await deleted.authorize(Self.board).status == 200)

        let refused = try await Browser(BrowserSignInFixture())
        refused.fixture.accounts.fail(.notAllowed)
        #expect(try await refused.authorize(Self.board).status == 200)
        refused.fixture.accounts.fail(.unavailable(.storeUnavailable))
        #expect(try await refused.authorize(Self.board).redirectError == "temporarily_unavailable")
    }

    @Test func newSignInReplacesCookieAndRecord() async throws {
        let fixture = try BrowserSignInFixture()
        let browser = try await Browser(fixture)
        let page = try await browser.authorize(["prompt": "login"])
        let link = try #require(PageReading(page).links.first { $0.contains("google.example") })
        let (code, requested) = try fixture.google.signIn(at: link)
        let back = fixture.request(
            .googleCallback,
            [("code", code), ("state", requested.state)],
            cookies: browser.cookies + Browser.kept(page),
            at: Self.start + 70
        )
        let response = try await fixture.response(back)
        let renewed = Browser.kept(response)
        #expect(renewed.count == 1 && renewed != browser.cookies)
        // A planted or stolen cookie of before is of no use.
        #expect(try await browser.authorize(Self.board, at: Self.start + 80).status == 200)
        var next = browser
        next.cookies = renewed
        let grant = try await next.grant(try await next.authorize(Self.board, at: Self.start + 80), at: Self.start + 81)
        #expect(grant.authenticatedAt == Self.start + 70 && grant.isProven)
    }

    /// Plain OAuth 2 and Google: nobody knows when the person signed in there, unless they say so.
    @Test(arguments: ["prompt", "max_age"])
    func providerThatCannotBeToldToAskProvesNothing(_ name: String) async throws {
        let fixture = try BrowserSignInFixture()
        let changes: KeyValuePairs<String, String?> = name == "prompt" ? ["prompt": "login"] : ["max_age": "100"]
        func signIn() async throws -> EndpointResponse {
            let visit = try await BrowserVisit(fixture, .google, BrowserSignInFixture.parameters(changes))
            return try await fixture.response(visit.back(.googleCallback))
        }
        fixture.google.stopAskingAnew()
        let refused = try await signIn()
        #expect(try refused.redirectError == "login_required")
        #expect(!refused.cookies.contains { $0.contains("single-sign-on") })
        fixture.google.stopAskingAnew(signedInAt: Self.start + -200)
        #expect(try await signIn().redirectError == "login_required")
        fixture.google.stopAskingAnew(signedInAt: Self.start + 4)
        #expect(try await signIn().locationFields["code"] != nil)
        // Where nobody wants a proof it is a sign-in like others, and none for later.
        fixture.google.stopAskingAnew()
        let browser = try await Browser(fixture)
        let silent: KeyValuePairs<String, String?> = [
            "client_id": "board", "redirect_uri": "https://board.example/back", "scope": "openid", "prompt": "none",
            "max_age": "1000",
        ]
        #expect(try await browser.authorize(silent).redirectError == "login_required")
    }

    @Test func sessionThatGrewTooOldOnThePageAsksAgain() async throws {
        let fixture = try BrowserSignInFixture()
        let browser = try await Browser(fixture, ["prompt": "login"])
        let page = try await browser.authorize(["max_age": "100"])
        #expect(page.text.contains("Continue as"))
        let state = try #require(
            PageReading(page).all("input").first { $0.attributes["name"] == "sign_in" }?.attributes["value"]
        )
        let next = try await fixture.response(
            fixture.request(
                .authorize,
                by: "POST",
                [("sign_in", state)],
                cookies: browser.cookies + Browser.kept(page),
                at: Self.start + 106
            )
        )
        #expect(next.status == 200 && !next.text.contains("Continue as"))
        let link = try #require(PageReading(next).links.first { $0.contains("google.example") })
        let (code, requested) = try fixture.google.signIn(at: link)
        let back = fixture.request(
            .googleCallback,
            [("code", code), ("state", requested.state)],
            cookies: browser.cookies + Browser.kept(next),
            at: Self.start + 110
        )
        let grant = try await browser.grant(try await fixture.response(back), at: Self.start + 111)
        #expect(grant.isProven && grant.authenticatedAt == Self.start + 110)
    }

    @Test func forgedCookieIsNoSession() async throws {
        let browser = try await Browser(BrowserSignInFixture())
        let name = try #require(browser.cookies.first?.prefix { $0 != "=" })
        for value in ["", "x", Base64URL.encode([UInt8](repeating: 1, count: 32))] {
            var forged = browser
            forged.cookies = ["\(name)=\(value)"]
            #expect(try await forged.authorize(Self.board).status == 200)
        }
    }

    @Test func withoutItEachClientAsks() async throws {
        let fixture = try BrowserSignInFixture(singleSignOn: .off)
        let visit = try await BrowserVisit(fixture)
        let response = try await fixture.response(visit.back(.googleCallback))
        #expect(!response.cookies.contains { $0.contains("single-sign-on") })
    }

    @Test func resultIsPostedWhereTheClientWantsIt() async throws {
        let browser = try await Browser(BrowserSignInFixture())
        let posted: KeyValuePairs<String, String?> = [
            "client_id": "board", "redirect_uri": "https://board.example/back", "scope": "openid",
            "response_mode": "form_post", "state": "\"><script>",
        ]
        let page = try await browser.authorize(posted)
        #expect(page.status == 200 && page.value(of: "Location") == nil)
        let reading = PageReading(page)
        #expect(reading.all("form").first?.attributes["action"] == "https://board.example/back")
        let fields = Dictionary(
            uniqueKeysWithValues: reading.all("input").map {
                ($0.attributes["name"] ?? "", $0.attributes["value"] ?? "")
            }
        )
        #expect(Set(fields.keys) == ["code", "state", "iss"] && fields["state"] == "\"><script>")
        #expect(reading.all("button").count == 1)
        let policy = try #require(page.value(of: "Content-Security-Policy"))
        #expect(policy.contains("form-action https://board.example; script-src 'sha256-"))
        #expect(page.value(of: "Cache-Control") == "no-store")

        let stranger = try BrowserSignInFixture()
        let silent = BrowserSignInFixture.parameters([
            "client_id": "board", "redirect_uri": "https://board.example/back", "scope": "openid",
            "response_mode": "form_post", "prompt": "none",
        ])
        let error = PageReading(try await stranger.authorize(silent))
        #expect(error.all("input").contains { $0.attributes["value"] == "login_required" })
        let app = try await stranger.authorize(BrowserSignInFixture.parameters(["response_mode": "form_post"]))
        #expect(try app.redirectError == "invalid_request")
    }

    @Test func wishesReachPageAndProvider() async throws {
        let fixture = try BrowserSignInFixture()
        let page = try await fixture.authorize(BrowserSignInFixture.parameters(["ui_locales": "xx de"]))
        #expect(page.text.contains("<html lang=\"de\">"))
        let hinted = try await fixture.authorize(BrowserSignInFixture.parameters(["login_hint": "bob@example.org"]))
        let links = PageReading(hinted).links
        #expect(links.contains { $0.contains("google.example") && $0.contains("login_hint=bob%40example.org") })
        #expect(!links.contains { $0.contains("apple.example") && $0.contains("login_hint") })
    }
}
