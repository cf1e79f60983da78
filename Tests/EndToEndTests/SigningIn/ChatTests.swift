import Demo
import Testing
import Verification

/// An app with gateway sessions: cookies in browsers, bearer tokens on phones.
@Suite struct ChatTests {
    private static let web = WebSignInPaths.chat

    @Test func accountIsSharedByProvidersAndBrowser() async throws {
        try await withApps(.chat) { fixture, standIn async throws in
            let app = fixture.app(.chat)
            let accessToken = standIn.googleAccessToken(
                subject: ProviderUser.annaAtGoogle.subject,
                email: ProviderUser.annaAtGoogle.email,
                audience: "chat-ios.apps.example"
            )
            let google = try GivenTokens(
                try await app.post("/api/auth/mobile/google", json: ["access_token": .string(accessToken)]),
                fixture
            )
            #expect(google.json["success"] == true)
            #expect(google.json["token"] == .string(google.access))
            #expect(google.json["token_type"] == "bearer")
            #expect(google.json["expires_in"] == 1800)
            let subject = try #require(google.user?["id"]?.string)
            let idToken = try standIn.googleToken(.annaAtGoogle, for: "chat-web.apps.example")
            let again = try GivenTokens(
                try await app.post("/api/auth/mobile/google", json: ["id_token": .string(idToken)]),
                fixture
            )
            #expect(again.user?["id"] == .string(subject))

            let apple = try GivenTokens(
                try await app.post(
                    "/api/auth/mobile/apple",
                    json: [
                        "identity_token": .string(
                            try standIn.appleToken(.anna, for: "com.example.chat", nonce: "chat-nonce")
                        ),
                        "nonce": "chat-nonce", "full_name": ["givenName": "Anna", "familyName": "Example"],
                    ]
                ),
                fixture
            )
            #expect(apple.user?["id"] == .string(subject), "the verified e-mail joins them")

            for token in [google.access, again.access, apple.access] {
                #expect(try await app.get("/api/messages", token: token).status == 200)
                let me = try await app.get("/api/auth/me", token: token)
                #expect(me.json?["user"]?.object?["id"] == .string(subject))
            }
            #expect(fixture.backend.requests.map(\.target) == ["/api/messages", "/api/messages", "/api/messages"])

            let browser = Browser(app)
            #expect(try await browser.webSignIn(Self.web, at: standIn).location == "https://chat.example/")
            let me = try await browser.get("/api/auth/me")
            #expect(me.json?["user"]?.object?["id"] == .string(subject))
        }
    }

    @Test func browserSignsInWithHttpOnlyCookiesAndRenews() async throws {
        try await withApps(.chat) { fixture, standIn async throws in
            let browser = Browser(fixture.app(.chat))
            expectRefusal(try await browser.get("/api/messages"), 401, "missing_token")
            let end = try await browser.webSignIn(Self.web, at: standIn)
            #expect(end.status == 303)
            #expect(end.location == "https://chat.example/")
            #expect(end.fields["Cache-Control"] == ["no-store"])
            for name in ["ce_access_token", "ce_refresh_token"] {
                let cookie = try #require(end.cookie(name))
                #expect(cookie.isGuarded)
                fixture.keepSecret(cookie.value)
            }
            #expect(browser.cookies.keys.sorted() == ["ce_access_token", "ce_refresh_token"])
            #expect(try await browser.get("/api/messages").status == 200)

            let before = browser.cookies
            let page = ["Origin: https://chat.example", "Sec-Fetch-Site: same-site"]
            let renewed = try await browser.post("/api/auth/refresh", fields: page)
            #expect(renewed.status == 200)
            for name in ["ce_access_token", "ce_refresh_token"] {
                let cookie = try #require(renewed.cookie(name))
                #expect(cookie.isGuarded)
                #expect(fixture.keepSecret(cookie.value) != before[name])
            }
            #expect(try await browser.get("/api/messages").status == 200)
            #expect(try await browser.get("/api/auth/validate").json?["valid"] == true)
        }
    }

    @Test func logoutEndsOnlyItsOwnSession() async throws {
        try await withApps(.chat) { fixture, standIn async throws in
            let app = fixture.app(.chat)
            func phone(_ nonce: String) async throws -> GivenTokens {
                let identity = try standIn.appleToken(.anna, for: "com.example.chat", nonce: nonce)
                return try GivenTokens(
                    try await app.post(
                        "/api/auth/mobile/apple",
                        json: ["identity_token": .string(identity), "nonce": .string(nonce)]
                    ),
                    fixture
                )
            }
            let first = try await phone("phone-1")
            let browser = Browser(app)
            _ = try await browser.webSignIn(Self.web, at: standIn)
            browser.cookies.values.forEach { fixture.keepSecret($0) }

            #expect(try await app.post("/api/auth/logout", json: [:], token: first.access).status == 200)
            expectRefusal(try await app.get("/api/messages", token: first.access), 401, "token_revoked")
            let refreshed = try await app.post("/api/auth/refresh", json: ["refresh_token": .string(first.refresh)])
            expectRefusal(refreshed, 401, "invalid_token")
            #expect(try await browser.get("/api/messages").status == 200)

            let second = try await phone("phone-2")
            let held = browser.cookies
            let page = ["Origin: https://chat.example"]
            let logout = try await browser.post("/api/auth/logout", fields: page)
            #expect(logout.status == 200, "\(logout.body.text)")
            #expect(browser.cookies.isEmpty, "both are taken away")
            for (name, value) in held { browser.plant(name, value) }
            expectRefusal(try await browser.get("/api/messages"), 401, "token_revoked")
            // Invalid cookies are cleared.
            expectRefusal(try await browser.post("/api/auth/refresh", fields: page), 401, "invalid_token")
            #expect(browser.cookies.isEmpty)
            #expect(try await app.get("/api/messages", token: second.access).status == 200)
            #expect(
                try await app.post("/api/auth/refresh", json: ["refresh_token": .string(second.refresh)]).status == 200
            )
        }
    }

    @Test func repeatedRefreshReturnsSameSuccessor() async throws {
        try await withApps(.chat) { fixture, standIn async throws in
            let app = fixture.app(.chat)
            let idToken = try standIn.googleToken(.annaAtGoogle, for: "chat-ios.apps.example")
            let first = try GivenTokens(
                try await app.post("/api/auth/mobile/google", json: ["id_token": .string(idToken)]),
                fixture
            )
            let body: JSONObject = ["refresh_token": .string(first.refresh)]
            let second = try GivenTokens(try await app.post("/api/auth/refresh", json: body), fixture)
            // After a lost response the same request returns the same successor.
            let repeated = try GivenTokens(try await app.post("/api/auth/refresh", json: body), fixture)
            #expect(second.refresh != first.refresh)
            #expect(repeated.refresh == second.refresh)
            #expect(try await app.get("/api/messages", token: repeated.access).status == 200)
            #expect(second.user?["id"] == first.user?["id"])
        }
    }
}
