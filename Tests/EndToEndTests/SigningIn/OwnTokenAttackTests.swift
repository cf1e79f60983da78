import Demo
import Testing
import Verification

/// Gateway tokens in the wrong place or too late (RFC 9068 section 5, RFC 9700 section 4.14).
@Suite struct OwnTokenAttackTests {
    private static let app = ClientSignIn.games

    private func phone(
        _ app: AppSetup,
        _ fixture: GatewayFixture,
        _ standIn: ProviderStandIn
    ) async throws -> GivenTokens {
        let (path, client) =
            switch app {
            case .chat: ("/api/auth/mobile/apple", "com.example.chat")
            case .clans: ("/api/v1/users/auth/apple/exchange", "com.example.clans")
            default: ("/auth/apple", "com.example.games")
            }
        let identity = try standIn.appleToken(.anna, for: client)
        return try GivenTokens(
            try await fixture.app(app).post(path, json: ["identity_token": .string(identity)]),
            fixture
        )
    }

    @Test func tokenOfOneTenantIsRefusedAtAnother() async throws {
        try await withApps(.chat, .clans, .games) { fixture, standIn async throws in
            let chat = try await phone(.chat, fixture, standIn)
            let games = try await phone(.games, fixture, standIn)
            let clans = try await phone(.clans, fixture, standIn)
            for (app, path, own, others) in [
                (AppSetup.chat, "/api/messages", chat, [games, clans]),
                (.games, "/scores", games, [chat, clans]),
                (.clans, "/api/v1/boards", clans, [chat, games]),
            ] {
                let client = fixture.app(app)
                #expect(try await client.get(path, token: own.access).status == 200)
                for other in others {
                    expectRefusal(try await client.get(path, token: other.access), 401, "invalid_token")
                    expectRefusal(try await client.get(path, token: other.refresh), 401, "invalid_token")
                }
            }
            let atGames = fixture.app(.games)
            for other in [chat, clans] {
                #expect(try await atGames.get("/id/userinfo", token: other.access).status == 401)
                expectRefusal(try await atGames.get("/auth/me", token: other.access), 401, "invalid_token")
                let body: JSONObject = ["refresh_token": .string(other.refresh)]
                expectRefusal(try await atGames.post("/auth/refresh", json: body), 401, "invalid_token")
                let form = Self.app.refreshForm(other.refresh)
                #expect(try await atGames.post("/id/oauth2/token", form: form).json?["error"] == "invalid_grant")
                // An attempt to revoke it has no effect.
                _ = try await atGames.post("/auth/logout", json: body)
                _ = try await atGames.post(
                    "/id/oauth2/revoke",
                    form: Form.text(["token": other.refresh, "client_id": "games-app"])
                )
            }
            #expect(try await fixture.app(.chat).get("/api/messages", token: chat.access).status == 200)
            let refreshed = try await fixture.app(.chat).post(
                "/api/auth/refresh",
                json: ["refresh_token": .string(chat.refresh)]
            )
            #expect(refreshed.status == 200)
            let cookie = try await atGames.get("/scores", fields: ["Cookie: games=\(chat.access)"])
            expectRefusal(cookie, 401, "invalid_token")
        }
    }

    @Test func codeOfOneTenantIsRefusedAtAnother() async throws {
        try await withApps(.clans, .games) { fixture, standIn async throws in
            let code = try await Browser(fixture.app(.clans)).code(.clans, at: standIn)
            var thief = ClientSignIn.clans
            thief.base = Self.app.base
            thief.clientID = Self.app.clientID
            let response = try await fixture.app(.games).post(thief.tokenPath, form: thief.tokenForm(code))
            #expect(response.json?["error"] == "invalid_grant")
            let own = try await fixture.app(.clans).post(
                ClientSignIn.clans.tokenPath,
                form: ClientSignIn.clans.tokenForm(code)
            )
            _ = try GivenTokens(own, fixture)
        }
    }

    @Test func idTokenIsRefusedAsAccessToken() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let app = fixture.app(.games)
            let code = try await Browser(app).code(Self.app, at: standIn)
            let tokens = try GivenTokens(
                try await app.post(Self.app.tokenPath, form: Self.app.tokenForm(code)),
                fixture
            )
            let idToken = try #require(tokens.id)
            expectRefusal(try await app.get("/scores", token: idToken), 401, "invalid_token")
            let cookie = try await app.get("/scores", fields: ["Cookie: games=\(idToken)"])
            expectRefusal(cookie, 401, "invalid_token")
            expectRefusal(try await app.get("/auth/me", token: idToken), 401, "invalid_token")
            #expect(try await app.get("/id/userinfo", token: idToken).status == 401)
            let introspection = try await app.post(
                "/id/oauth2/introspect",
                form: Form.text(["token": idToken, "client_id": "games-server", "client_secret": TestIssuer.secret])
            )
            #expect(introspection.json == ["active": false])
            // On an open path it yields no identity.
            #expect(try await app.get("/auth/else", token: idToken).status == 200)
            let seen = try #require(fixture.backend.requests.last)
            #expect(seen.fields.names.filter { $0.hasPrefix("x-user") || $0.hasPrefix("x-auth") } == [])
            // An access token is not accepted as an ID token hint.
            let logout = try await app.get("/id/oauth2/logout?id_token_hint=\(tokens.access)")
            #expect(logout.status == 400)
            #expect(try await app.get("/scores", token: tokens.access).status == 200)
        }
    }

    /// If the client ID is also the access tokens' audience, only the type distinguishes them.
    @Test func idTokenForAccessTokenAudienceIsRefused() async throws {
        try await withApps(.clans) { fixture, standIn async throws in
            let app = fixture.app(.clans)
            let signIn = ClientSignIn.clans
            let code = try await Browser(app).code(signIn, at: standIn)
            let tokens = try GivenTokens(try await app.post(signIn.tokenPath, form: signIn.tokenForm(code)), fixture)
            let idToken = try #require(tokens.id)
            let audiences = [tokens.access, idToken].map { GivenTokens.claims($0)?["aud"] }
            #expect(audiences == ["clanboards-mobile", "clanboards-mobile"])
            expectRefusal(try await app.get("/api/v1/boards", token: idToken), 401, "invalid_token")
            #expect(try await app.get("/api/v1/users/userinfo", token: idToken).status == 401)
            #expect(try await app.get("/api/v1/boards", token: tokens.access).status == 200)
            let hint = try await app.get("/api/v1/users/oauth2/logout?id_token_hint=\(tokens.access)")
            #expect(hint.status == 400)
            #expect(try await app.get("/api/v1/boards", token: tokens.access).status == 200)
            #expect(fixture.backend.requests.allSatisfy { !$0.fields.description.contains(idToken) })
        }
    }

    /// More rotations than a family remembers, so the first token counts as reused without waiting for its grace
    /// window.
    @Test func refreshTokenReusedAfterGraceEndsSession() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let app = fixture.app(.games)
            let first = try await phone(.games, fixture, standIn)
            var last = first
            for _ in 0..<17 {
                let body: JSONObject = ["refresh_token": .string(last.refresh)]
                last = try GivenTokens(try await app.post("/auth/refresh", json: body), fixture)
            }
            #expect(try await app.get("/scores", token: last.access).status == 200)
            let replay: JSONObject = ["refresh_token": .string(first.refresh)]
            expectRefusal(try await app.post("/auth/refresh", json: replay), 401, "invalid_token")
            let body: JSONObject = ["refresh_token": .string(last.refresh)]
            expectRefusal(try await app.post("/auth/refresh", json: body), 401, "invalid_token")
            for tokens in [first, last] {
                expectRefusal(try await app.get("/scores", token: tokens.access), 401, "token_revoked")
            }
        }
    }

    @Test func refreshTokenIsRefusedForAnotherClient() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let app = fixture.app(.games)
            let code = try await Browser(app).code(Self.app, at: standIn)
            let tokens = try GivenTokens(
                try await app.post(Self.app.tokenPath, form: Self.app.tokenForm(code)),
                fixture
            )
            var other = Self.app
            other.clientID = "other-app"
            let stolen = try await app.post(other.tokenPath, form: other.refreshForm(tokens.refresh))
            #expect(stolen.json?["error"] == "invalid_grant")
            let revoked = try await app.post(
                "/id/oauth2/revoke",
                form: Form.text(["token": tokens.refresh, "client_id": "other-app"])
            )
            #expect(revoked.json?["error"] == "invalid_grant")
            for secret in ["wrong", ""] {
                let response = try await app.post(
                    "/id/oauth2/introspect",
                    form: Form.text(["token": tokens.access, "client_id": "games-server", "client_secret": secret])
                )
                #expect(response.status == 401)
                #expect(response.json?["active"] == nil)
            }
            let own = try await app.post(Self.app.tokenPath, form: Self.app.refreshForm(tokens.refresh))
            _ = try GivenTokens(own, fixture)
        }
    }

    /// A page of another site that has the browser send its cookies (CSRF).
    @Test func crossSiteRequestCannotRenewOrSignOut() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let browser = Browser(fixture.app(.games))
            _ = try await browser.webSignIn(.games, at: standIn)
            let before = browser.cookies
            before.values.forEach { fixture.keepSecret($0) }
            for field in [
                "Origin: https://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Site: same-site", "Origin: https://games.example.evil.example",
            ] {
                for path in ["/auth/refresh", "/auth/logout"] {
                    let response = try await browser.post(path, fields: [field])
                    expectRefusal(response, 403, "cross_site_request", field)
                    #expect(response.fields["Set-Cookie"] == [], "\(field)")
                }
            }
            #expect(browser.cookies == before)
            #expect(try await browser.get("/scores").status == 200)
        }
    }
}
