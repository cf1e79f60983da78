import Demo
import Tenants
import Testing
import Verification

/// Provider responses in the wrong browser, at the wrong callback, or a second time (RFC 9700 sections 4.4 and 4.7).
@Suite struct CallbackAttackTests {
    private static let app = ClientSignIn.games
    private static let web = WebSignInPaths.games

    /// Expects an error page and no sign-in.
    private func expectStopped(
        _ response: RawResponse,
        _ status: Int = 400,
        _ comment: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status == status, "\(comment)", sourceLocation: sourceLocation)
        #expect(response.location == nil, "\(comment)", sourceLocation: sourceLocation)
        #expect(response.cookie("games") == nil, "\(comment)", sourceLocation: sourceLocation)
        #expect(response.fields["X-Frame-Options"] == ["DENY"], "\(comment)", sourceLocation: sourceLocation)
    }

    private func target(_ response: ProviderRedirect, at path: String? = nil) -> String {
        "\(path ?? Form.target(of: response.url))?\(response.form)"
    }

    @Test func stateWorksOnce() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let browser = Browser(fixture.app(.games))
            let response = try await browser.begin(Self.app, at: standIn, by: .google, as: .annaAtGoogle)
            let held = browser.cookies
            #expect(try await browser.bring(response).status == 303)
            let calls = standIn.calls(.googleToken)
            for (name, value) in held { browser.plant(name, value) }
            expectStopped(try await browser.bring(response))

            let signIn = try await browser.beginWebSignIn(Self.web, at: standIn)
            let heldAgain = browser.cookies
            #expect(try await browser.get(target(signIn)).status == 303)
            for (name, value) in heldAgain { browser.plant(name, value) }
            expectStopped(try await browser.get(target(signIn)))
            #expect(standIn.calls(.googleToken) == calls + 1)
        }
    }

    @Test func responseOfOneProviderIsRefusedAtAnothersCallback() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let browser = Browser(fixture.app(.games))
            let google = try await browser.begin(Self.app, at: standIn, by: .google, as: .annaAtGoogle)
            let apple = try await browser.begin(Self.app, at: standIn, by: .apple)
            expectStopped(try await browser.get(target(google, at: "/id/oauth2/callback/apple")))
            expectStopped(try await browser.get(target(apple, at: "/id/oauth2/callback/google")))
            expectStopped(try await browser.post("/id/oauth2/callback/google", form: apple.form))
            // A response for the issuer's page is refused at the cookie sign-in, and vice versa.
            expectStopped(try await browser.get(target(google, at: Self.web.callback)))
            let web = try await browser.beginWebSignIn(Self.web, at: standIn)
            expectStopped(try await browser.get(target(web, at: "/id/oauth2/callback/google")))
            #expect(standIn.calls(.googleToken) == 0)
            #expect(standIn.calls(.appleToken) == 0)
            // They are still valid at their own callbacks.
            #expect(try await browser.get(target(web)).location == "https://games.example/welcome")
            #expect(try await browser.bring(google).location?.hasPrefix("games://signed-in?code=") == true)
        }
    }

    /// RFC 9207 section 2.4.
    @Test func responseOfAnotherIssuerIsRefused() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let browser = Browser(fixture.app(.games))
            let response = try await browser.begin(Self.app, at: standIn, by: .google, as: .annaAtGoogle)
            #expect(response["iss"] == standIn.googleIssuer)
            let other = response.form.replacing(
                "iss=\(Form.encoded(standIn.googleIssuer).replacing("%2E", with: ".").replacing("%2D", with: "-"))",
                with: "iss=https%3A%2F%2Fhonest.example"
            )
            #expect(other != response.form)
            expectStopped(try await browser.get("\(Form.target(of: response.url))?\(other)"))
            #expect(standIn.calls(.googleToken) == 0)
        }
    }

    /// A response to another browser's request signs nobody in.
    @Test func responseOfAttackersSignInIsRefusedInAnotherBrowser() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let attacker = Browser(fixture.app(.games))
            let google = try await attacker.begin(Self.app, at: standIn, by: .google, as: .ben)
            let apple = try await attacker.begin(Self.app, at: standIn, by: .apple, as: .ben)
            let web = try await attacker.beginWebSignIn(Self.web, at: standIn, as: .ben)
            for response in [google, web] {
                expectStopped(try await Browser(fixture.app(.games)).get(target(response)))
            }
            // Apple's response comes without cookies; the next step shows the browser.
            let victim = Browser(fixture.app(.games))
            let posted = try await victim.postFromElsewhere(Form.target(of: apple.url), form: apple.form)
            #expect(posted.status == 303)
            let next = try #require(posted.location)
            #expect(next.hasPrefix(apple.url), "to itself")
            #expect(!next.contains("code="), "without the code")
            expectStopped(try await victim.get(Form.target(of: next)))
            #expect(victim.cookies.isEmpty)
            // A forged cookie is refused too.
            for name in attacker.cookies.keys { victim.plant(name, "forged") }
            expectStopped(try await victim.get(target(web)))
            #expect(standIn.calls(.googleToken) + standIn.calls(.appleToken) == 0)
        }
    }

    /// A code that was stolen from a victim, or is an attacker's own, does not fit another sign-in: PKCE at Google, and
    /// the nonce at Apple, which has no PKCE.
    @Test func codeOfAnotherSignInIsRefused() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            for provider in [SignIn.Provider.google, .apple] {
                let attacker = Browser(fixture.app(.games))
                let victim = Browser(fixture.app(.games))
                let theirs = try await attacker.begin(Self.app, at: standIn, by: provider, as: .ben)
                let own = try await victim.begin(Self.app, at: standIn, by: provider, as: .anna)
                let code = try #require(theirs["code"])
                let state = try #require(own["state"])
                let form = Form.text(["code": code, "state": state])
                let path = Form.target(of: own.url)
                let back =
                    provider == .google
                    ? try await victim.get("\(path)?\(form)") : try await victim.post(path, form: form)
                let parameters = Form.query(of: try #require(back.location))
                #expect(parameters["error"] == "access_denied")
                #expect(parameters["code"] == nil)
            }
        }
    }

    /// A sign-in always starts a new session with an unguessable ID (session fixation).
    @Test func signInReplacesPlantedSession() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let attacker = Browser(fixture.app(.games))
            _ = try await attacker.webSignIn(Self.web, at: standIn, as: .ben)
            let planted = attacker.cookies
            #expect(planted.count == 2)
            let victim = Browser(fixture.app(.games))
            for (name, value) in planted { victim.plant(name, value) }
            _ = try await victim.webSignIn(Self.web, at: standIn, as: .annaAtGoogle)
            #expect(victim.cookies.count == 2)
            for (name, value) in victim.cookies { #expect(value != planted[name]) }
            let ids = try [victim, attacker].map {
                GivenTokens.claims(try #require($0.cookies["games"]))
            }
            #expect(ids[0]?["sub"] != ids[1]?["sub"])
            #expect(ids[0]?["sid"] != ids[1]?["sid"])
            let me = try await attacker.get("/auth/me")
            #expect(me.json?["user"]?.object?["email"] == .string(ProviderUser.ben.email), "still the attacker's own")
        }
    }

    @Test func afterRedirectsToConfiguredOriginOnly() async throws {
        try await withApps(.games) { fixture, _ async throws in
            for after in [
                "https://evil.example/", "//evil.example/", "/\\evil.example", "https://games.example.evil.example/",
                "https://games.example@evil.example/", "https://games.example:8443/", "http://games.example/",
                "javascript:alert(1)", "https:evil.example", "https:///evil.example", "/\t/evil.example",
                "https://games.example\\.evil.example/", " https://games.example/", "HTTPS://games.example/", "\u{0}/",
            ] {
                let response = try await fixture.app(.games).get("\(Self.web.login)?after=\(Form.encoded(after))")
                expectStopped(response, 400, after)
                #expect(response.fields["Set-Cookie"] == [], "\(after)")
                #expect(!response.body.text.contains("evil"), "\(after)")
            }
        }
    }

    @Test func afterMayNamePageOfOrigin() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            for (after, location) in [
                ("/board?x=1#y", "https://games.example/board?x=1#y"),
                ("https://games.example/board", "https://games.example/board"),
                ("https://games.example", "https://games.example"),
                ("/%2F/evil.example", "https://games.example/%2F/evil.example"),
            ] {
                let browser = Browser(fixture.app(.games))
                let query = "?after=\(Form.encoded(after))"
                let response = try await browser.beginWebSignIn(Self.web, at: standIn, query: query)
                #expect(try await browser.get(target(response)).location == location)
            }
        }
    }

    @Test func forgedOrCancelledSignInKeepsSession() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let browser = Browser(fixture.app(.games))
            _ = try await browser.webSignIn(Self.web, at: standIn)
            let before = browser.cookies
            let login = try await browser.get(Self.web.login)
            let response = try standIn.redirect(for: try #require(login.location), cancelling: true)
            let back = try await browser.get(target(response))
            #expect(back.location == "https://games.example/welcome?error=access_denied")
            #expect(browser.cookies == before)
            expectStopped(try await browser.get("\(Self.web.callback)?state=x&code=y"))
            expectStopped(try await browser.get("\(Self.web.callback)?code=y"))
            #expect(browser.cookies == before)
        }
    }
}
