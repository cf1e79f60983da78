import TestSupport
import Testing
import Verification

@testable import IdentityProvider

/// The authorization endpoint: the page, errors for the client, and errors for the user only.
struct AuthorizationEndpointTests {
    @Test func validRequestShowsPageAndSetsBindingCookie() async throws {
        let response = try await BrowserSignInFixture(singleSignOn: .off).authorize()
        #expect(response.status == 200)
        let cookie = try #require(response.cookies.first)
        #expect(response.cookies.count == 1)
        #expect(cookie.hasPrefix("__Host-gatehouse-sign-in-"))
        #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=600"))
    }

    /// So that tabs which come back at once are known as one browser's.
    @Test func pageGivesBrowserIdentifierThatStays() async throws {
        let fixture = try BrowserSignInFixture()
        let cookies = try await fixture.authorize().cookies
        try #require(cookies.count == 2)
        #expect(cookies[1].hasPrefix("__Host-gatehouse-browser-"))
        #expect(cookies[1].hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=43200"))
        let sent = [String(cookies[1].prefix { $0 != ";" })]
        let again = try await fixture.response(fixture.request(.authorize, BrowserSignInFixture.good, cookies: sent))
        #expect(again.cookies.last == cookies[1])
        #expect(try await fixture.authorize().cookies.last != cookies[1])
    }

    @Test func postedRequestIsAccepted() async throws {
        let fixture = try BrowserSignInFixture()
        #expect(
            try await fixture.response(fixture.request(.authorize, by: "POST", BrowserSignInFixture.good)).status == 200
        )
        var json = fixture.request(.authorize, by: "POST", BrowserSignInFixture.good)
        json.fields.contentType = "application/json"
        #expect(try await fixture.response(json).status == 400)
        var late = fixture.request(.authorize, by: "POST", BrowserSignInFixture.good)
        late.query = FormText.text(of: BrowserSignInFixture.good)
        late.body = []
        #expect(try await fixture.response(late).status == 400)
        let put = try await fixture.response(fixture.request(.authorize, by: "PUT", BrowserSignInFixture.good))
        #expect(put.status == 405)
        #expect(put.value(of: "Allow") == "GET, POST")
    }

    @Test func cookieHasNoHostPrefixWithoutTLS() async throws {
        let fixture = try BrowserSignInFixture()
        let response = try await fixture.response(
            fixture.request(.authorize, BrowserSignInFixture.good, isSecure: false)
        )
        let cookie = try #require(response.cookies.first)
        #expect(cookie.hasPrefix("gatehouse-sign-in-"))
        #expect(!cookie.contains("Secure"))
        #expect(PageReading(response).links.contains { $0.contains("http%3A%2F%2Fchat.example%2Fid%2F") })
    }

    @Test func eachProviderGetsOwnNonceAndChallenge() async throws {
        let fixture = try BrowserSignInFixture()
        let links = try await PageReading(fixture.authorize()).links
        let apple = try fixture.apple.signIn(at: try #require(links.first { $0.hasPrefix("https://apple.example/") }))
            .requested
        let google = try fixture.google.signIn(at: try #require(links.first { $0.hasPrefix("https://google.ex") }))
            .requested
        #expect(apple.redirectURI == "https://chat.example/id/oauth2/callback/apple")
        #expect(google.redirectURI == "https://chat.example/id/oauth2/callback/google")
        #expect(apple.nonce != google.nonce)
        #expect(apple.codeChallenge != google.codeChallenge)
        #expect(apple.state.dropLast(2) == google.state.dropLast(2))
        #expect(apple.state.hasSuffix(".a") && google.state.hasSuffix(".g"))
        #expect(Base64URL.decode(apple.nonce)?.count == 32)
        #expect(Base64URL.decode(google.codeChallenge)?.count == 32)
    }

    static let tricks = [
        "clanboards://oauthredirect/", "clanboards://oauthredirect.evil.example", "clanboards://oauthredirec",
        "clanboards://evil@oauthredirect", "clanboards://oauthredirect#x", "clanboards://oauthredirect#",
        "clanboards://OAuthRedirect", "Clanboards://oauthredirect", "clanboards://oauthredirect?x=1",
        "clanboards://oauthredirect?", "clanboards://oauthredirec%74", "clanboards://oauthredirect:443",
        "clanboards:/oauthredirect", " clanboards://oauthredirect", "clanboards://oauthredirect ",
        "clanboards://oauthredirect\n", "clanboards://oauthredirect\0", "https://board.example/back",
        "clanboards://oauthredirect/../oauthredirect", "clanboards://oauthredirect\\", "javascript:alert(1)//",
        "\u{212A}lanboards://oauthredirect",
    ]

    @Test(arguments: tricks)
    func unregisteredRedirectURIIsNotFollowed(_ uri: String) async throws {
        let fixture = try BrowserSignInFixture()
        for changes in [["redirect_uri": uri], ["redirect_uri": uri, "response_type": "token"]] {
            var parameters = BrowserSignInFixture.good.filter { changes[$0.name] == nil }
            parameters += changes.map { ($0.key, $0.value) }
            let response = try await fixture.authorize(parameters)
            #expect(response.status == 400)
            #expect(response.value(of: "Location") == nil)
            #expect(!response.text.contains("evil"))
            #expect(response.cookies.isEmpty)
        }
    }

    static let untrusted: [KeyValuePairs<String, String?>] = [
        ["client_id": nil], ["client_id": "Mobile"], ["client_id": "mobile "], ["client_id": "nobody"],
        ["redirect_uri": nil], ["redirect_uri": ""], ["client_id": "odd", "redirect_uri": "https://odd.example/#part"],
    ]

    @Test(arguments: untrusted.indices)
    func unknownClientOrRedirectURIGetsPageWithoutRedirect(_ index: Int) async throws {
        let response = try await BrowserSignInFixture().authorize(
            BrowserSignInFixture.parameters(Self.untrusted[index])
        )
        #expect(response.status == 400)
        #expect(response.value(of: "Location") == nil)
    }

    static let refused: [(KeyValuePairs<String, String?>, String)] = [
        (["response_type": nil], "invalid_request"),
        (["response_type": "token"], "unsupported_response_type"),
        (["response_type": "code id_token"], "unsupported_response_type"),
        (["code_challenge": nil], "invalid_request"),
        (["code_challenge": nil, "code_challenge_method": nil], "invalid_request"),
        (["code_challenge_method": nil], "invalid_request"),
        (["code_challenge_method": "plain"], "invalid_request"),
        (["code_challenge_method": "s256"], "invalid_request"),
        (["code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c"], "invalid_request"),
        (["code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM="], "invalid_request"),
        (["code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cN"], "invalid_request"),
        (["code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM"], "invalid_request"),
        (["response_mode": "fragment"], "invalid_request"),
        (["response_mode": "form_post"], "invalid_request"),
        (["response_mode": "web_message"], "invalid_request"), (["max_age": "soon"], "invalid_request"),
        (["request": "e30.e30."], "request_not_supported"),
        (["request_uri": "https://evil.example/"], "request_uri_not_supported"),
        (["registration": "{}"], "registration_not_supported"),
        (["prompt": "none"], "login_required"),
        (["prompt": "login none"], "invalid_request"),
        (["scope": nil], "invalid_scope"),
        (["scope": "admin"], "invalid_scope"),
        (["scope": "offline_access"], "invalid_scope"),
        (["scope": "OPENID"], "invalid_scope"),
        (["nonce": String(repeating: "n", count: 513)], "invalid_request"),
    ]

    @Test(arguments: refused.indices)
    func invalidRequestRedirectsWithError(_ index: Int) async throws {
        let (changes, error) = Self.refused[index]
        let response = try await BrowserSignInFixture().authorize(BrowserSignInFixture.parameters(changes))
        #expect(response.status == 303)
        #expect(try #require(response.value(of: "Location")).hasPrefix("clanboards://oauthredirect?error="))
        let fields = try response.locationFields
        #expect(fields["error"] == error)
        #expect(fields["error_description"] != nil)
        #expect(fields["state"] == "of the app")
        #expect(fields["iss"] == "https://chat.example")
        #expect(fields["code"] == nil)
        #expect(response.cookies.isEmpty)
    }

    static let accepted: [KeyValuePairs<String, String?>] = [
        ["response_mode": "query"], ["prompt": "login"], ["prompt": "select_account consent"], ["nonce": nil],
        ["state": nil], ["scope": "openid offline_access what-is-that"], ["max_age": "0"], ["ui_locales": "de"],
        ["nonce": String(repeating: "n", count: 512)], ["state": String(repeating: "s", count: 2048)],
    ]

    @Test(arguments: accepted.indices)
    func optionalParametersAreAccepted(_ index: Int) async throws {
        let response = try await BrowserSignInFixture().authorize(BrowserSignInFixture.parameters(Self.accepted[index]))
        #expect(response.status == 200)
    }

    @Test func tooLongStateIsReturnedWithError() async throws {
        let state = String(repeating: "s", count: 2049)
        let response = try await BrowserSignInFixture().authorize(BrowserSignInFixture.parameters(["state": state]))
        #expect(try response.locationFields["error"] == "invalid_request")
        #expect(try response.locationFields["state"] == state)
    }

    @Test func tooLongRequestIsRefused() async throws {
        let fixture = try BrowserSignInFixture()
        let length = FormText.text(of: BrowserSignInFixture.parameters() + [("ui", "")]).utf8.count
        for method in ["GET", "POST"] {
            for (count, status) in [(8192 - length, 200), (8193 - length, 400)] {
                let parameters = BrowserSignInFixture.parameters() + [("ui", String(repeating: "x", count: count))]
                let response = try await fixture.response(fixture.request(.authorize, by: method, parameters))
                #expect(response.status == status)
                #expect(response.value(of: "Location") == nil)
            }
        }
    }

    /// The limit on parameters applies to repeated ones too.
    @Test func tooManyParametersGetPageWithoutRedirect() async throws {
        let fixture = try BrowserSignInFixture()
        for (count, isRedirected) in [(54, true), (55, false)] {
            let many = Array(repeating: (name: "x", value: "1"), count: 2) + BrowserSignInFixture.good
            let filler = (0..<count).map { (name: "n\($0)", value: $0 % 2 == 0 ? "" : "1") }
            let response = try await fixture.authorize(many + filler)
            #expect((response.value(of: "Location") != nil) == isRedirected)
            #expect(response.status == (isRedirected ? 303 : 400))
        }
    }

    @Test func repeatedParameterRedirectsWithErrorUnlessItNamesTheClient() async throws {
        let fixture = try BrowserSignInFixture()
        for (name, value) in [("scope", "openid"), ("code_challenge", "x"), ("x", "1")] {
            let twice = [(name, value), (name, value)] + BrowserSignInFixture.good.filter { $0.name != name }
            let response = try await fixture.authorize(twice)
            #expect(try response.redirectError == "invalid_request")
            #expect(try response.locationFields["state"] == "of the app")
        }
        let states = try await fixture.authorize(BrowserSignInFixture.good + [("state", "another")])
        #expect(try states.redirectError == "invalid_request")
        #expect(try states.locationFields["state"] == nil)
        for (name, value) in [("client_id", "mobile"), ("redirect_uri", "https://evil.example/")] {
            let response = try await fixture.authorize(BrowserSignInFixture.good + [(name, value)])
            #expect(response.status == 400)
            #expect(response.value(of: "Location") == nil)
        }
    }

    @Test func queryOfRegisteredRedirectURIIsKept() async throws {
        let changes: KeyValuePairs<String, String?> = [
            "client_id": "board", "redirect_uri": "https://board.example/back?from=chat", "prompt": "none",
        ]
        let response = try await BrowserSignInFixture().authorize(BrowserSignInFixture.parameters(changes))
        let location = try #require(response.value(of: "Location"))
        #expect(location.hasPrefix("https://board.example/back?from=chat&error=login_required"))
    }

    @Test func storeFailureRedirectsWithTemporarilyUnavailable() async throws {
        let fixture = try BrowserSignInFixture()
        fixture.store.fail([.set])
        #expect(try await fixture.authorize().redirectError == "temporarily_unavailable")
    }
}
