import Demo
import Testing
import Verification

/// An app with the gateway as OpenID provider: natively on iOS, by code and PKCE on Android.
@Suite struct ClansTests {
    private static let android = ClientSignIn.clans

    @Test func appleTokenIsExchangedForGatewayTokens() async throws {
        try await withApps(.clans) { fixture, standIn async throws in
            let app = fixture.app(.clans)
            let identity = try standIn.appleToken(.anna, for: "com.example.clans")
            let tokens = try GivenTokens(
                try await app.post(
                    "/api/v1/users/auth/apple/exchange",
                    json: ["id_token": .string(identity), "name": "Anna"]
                ),
                fixture
            )
            #expect(try await app.get("/api/v1/boards", token: tokens.access).status == 200)
            let claims = try #require(GivenTokens.claims(tokens.access))
            #expect(claims["iss"] == "https://clans.localtest/oidc")
            #expect(claims["aud"] == "clanboards-mobile")
        }
    }

    @Test func codeFlowSupportsRefreshUserInfoAndRevocation() async throws {
        try await withApps(.clans) { fixture, standIn async throws in
            let app = fixture.app(.clans)
            let discovery = try #require(try await app.get("/api/v1/users/.well-known/openid-configuration").json)
            #expect(discovery["issuer"] == "https://clans.localtest/oidc")
            #expect(discovery["token_endpoint"] == "http://clans.localtest/api/v1/users/oauth2/token")
            let keys = try #require(try await app.get("/api/v1/users/oauth2/jwks.json").json?["keys"]?.array)
            #expect(!keys.isEmpty)

            let browser = Browser(app)
            let response = try await browser.begin(Self.android, at: standIn)
            #expect(response.isPost, "Apple gives name and e-mail to a form_post alone")
            let back = try await browser.bring(response)
            #expect(back.status == 303)
            let location = try #require(back.location)
            #expect(location.hasPrefix("clanboards://oauthredirect?"))
            let parameters = Form.query(of: location)
            #expect(parameters["state"] == Self.android.state)
            #expect(parameters["iss"] == "https://clans.localtest/oidc")
            let code = fixture.keepSecret(try #require(parameters["code"]))
            #expect(browser.cookies.count == 2, "nothing is left of the sign-in")
            for name in ["browser", "single-sign-on"] {
                #expect(browser.cookies.keys.contains { $0.hasPrefix("gatehouse-\(name)-") })
            }

            let tokens = try GivenTokens(
                try await app.post(Self.android.tokenPath, form: Self.android.tokenForm(code)),
                fixture
            )
            let id = try #require(tokens.id.flatMap(GivenTokens.claims))
            #expect(id["nonce"] == .string(Self.android.nonce))
            #expect(id["aud"] == "clanboards-mobile")
            let info = try await app.get("/api/v1/users/userinfo", token: tokens.access)
            #expect(info.status == 200)
            #expect(info.json?["sub"] == id["sub"])
            #expect(info.json?["email"] == .string(ProviderUser.anna.email))
            #expect(try await app.get("/api/v1/boards", token: tokens.access).status == 200)

            let renewed = try GivenTokens(
                try await app.post(Self.android.tokenPath, form: Self.android.refreshForm(tokens.refresh)),
                fixture
            )
            #expect(renewed.refresh != tokens.refresh)
            #expect(try await app.get("/api/v1/boards", token: renewed.access).status == 200)

            let revoked = try await app.post(
                "/api/v1/users/oauth2/revoke",
                form: Form.text(["token": renewed.refresh, "client_id": "clanboards-mobile"])
            )
            #expect(revoked.status == 200)
            for token in [tokens.access, renewed.access] {
                expectRefusal(try await app.get("/api/v1/boards", token: token), 401, "token_revoked")
                #expect(try await app.get("/api/v1/users/userinfo", token: token).status == 401)
            }
            let late = try await app.post(Self.android.tokenPath, form: Self.android.refreshForm(renewed.refresh))
            #expect(late.status == 400)
            #expect(late.json?["error"] == "invalid_grant")
        }
    }

    /// Another app could have claimed the scheme (RFC 8252 section 8.6).
    @Test func secondSignInContinuesByButtonUntilLogout() async throws {
        try await withApps(.clans) { fixture, standIn async throws in
            let browser = Browser(fixture.app(.clans))
            let first = try await browser.code(Self.android, at: standIn)
            let tokens = try GivenTokens(
                try await browser.post(Self.android.tokenPath, form: Self.android.tokenForm(first)),
                fixture
            )
            let silent = try await browser.get(Self.android.authorizeTarget(["prompt": "none"]))
            #expect(Form.query(of: try #require(silent.location))["error"] == "interaction_required")

            let page = try await browser.get(Self.android.authorizeTarget())
            #expect(page.status == 200)
            let field = "name=\"sign_in\" value=\""
            let start = try #require(page.body.text.range(of: field)?.upperBound)
            let state = String(page.body.text[start...].prefix { $0 != "\"" })
            let target = "\(Self.android.base)/oauth2/authorize"
            let back = try await browser.post(target, form: Form.text(["sign_in": state]))
            let location = try #require(back.location)
            let code = fixture.keepSecret(try #require(Form.query(of: location)["code"]))
            let next = try GivenTokens(
                try await browser.post(Self.android.tokenPath, form: Self.android.tokenForm(code)),
                fixture
            )
            let before = try #require(tokens.id.flatMap(GivenTokens.claims))
            let after = try #require(next.id.flatMap(GivenTokens.claims))
            #expect(before["sub"] == after["sub"] && before["auth_time"] == after["auth_time"])

            let hint = Form.text(["id_token_hint": try #require(next.id)])
            #expect(try await browser.get("\(Self.android.base)/oauth2/logout?\(hint)").status == 200)
            #expect(browser.cookies.isEmpty)
            for token in [tokens.access, next.access] {
                expectRefusal(try await browser.app.get("/api/v1/boards", token: token), 401, "token_revoked")
            }
            let over = try await browser.get(Self.android.authorizeTarget(["prompt": "none"]))
            #expect(Form.query(of: try #require(over.location))["error"] == "login_required")
        }
    }

    /// The app would get another session without a question.
    @Test(arguments: ["session", "subject"])
    func revocationSignsTheBrowserOutAtTheIssuer(_ kind: String) async throws {
        try await withApps(.clans, gateway: GatewaySetup.withAdminToken.gateway) { fixture, standIn async throws in
            let browser = Browser(fixture.app(.clans))
            let code = try await browser.code(Self.android, at: standIn)
            let tokens = try GivenTokens(
                try await browser.post(Self.android.tokenPath, form: Self.android.tokenForm(code)),
                fixture
            )
            func silent() async throws -> String? {
                let response = try await browser.get(Self.android.authorizeTarget(["prompt": "none"]))
                return Form.query(of: try #require(response.location))["error"]
            }
            func change(_ method: String, _ member: String) async throws {
                let id = try #require(kind == "session" ? tokens.session : tokens.subject)
                let response = try await fixture.revocations(
                    method,
                    body: #"{"tenant":"clans","\#(kind)":"\#(id)"}"#,
                    fields: GatewayFixture.adminBearer
                )
                #expect(try fixture.entries(member, response).count == 1)
            }
            #expect(try await silent() == "interaction_required")
            try await change("POST", "revoked")
            expectRefusal(try await browser.app.get("/api/v1/boards", token: tokens.access), 401, "token_revoked")
            #expect(try await silent() == "login_required")
            // The app goes on then; the browser has signed out for good.
            try await change("DELETE", "withdrawn")
            #expect(try await browser.app.get("/api/v1/boards", token: tokens.access).status == 200)
            #expect(try await silent() == "login_required")
        }
    }

    @Test func issuerLogoutEndsSessionAndRedirectsToApp() async throws {
        try await withApps(.clans) { fixture, standIn async throws in
            let app = fixture.app(.clans)
            let code = try await Browser(app).code(Self.android, at: standIn)
            let tokens = try GivenTokens(
                try await app.post(Self.android.tokenPath, form: Self.android.tokenForm(code)),
                fixture
            )
            let hint = try #require(tokens.id)
            let query = Form.text([
                "id_token_hint": hint, "post_logout_redirect_uri": "clanboards://signout", "state": "s",
            ])
            let logout = try await app.get("/api/v1/users/oauth2/logout?\(query)")
            #expect(logout.status == 303)
            #expect(logout.location == "clanboards://signout?state=s")
            expectRefusal(try await app.get("/api/v1/boards", token: tokens.access), 401, "token_revoked")
        }
    }

    /// A sign-in cancelled at Apple returns to the app with an error.
    @Test func cancelledSignInRedirectsToApp() async throws {
        try await withApps(.clans) { fixture, standIn async throws in
            let browser = Browser(fixture.app(.clans))
            let page = try await browser.get(Self.android.authorizeTarget())
            let url = try #require(HostedPage(page).link(to: .apple))
            let back = try await browser.bring(try standIn.redirect(for: url, cancelling: true))
            let parameters = Form.query(of: try #require(back.location))
            #expect(parameters["error"] == "access_denied")
            #expect(parameters["state"] == Self.android.state)
            #expect(parameters["iss"] == "https://clans.localtest/oidc")
            #expect(parameters["code"] == nil)
        }
    }
}
