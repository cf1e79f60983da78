import Demo
import Testing
import Verification

/// Authorization codes and requests in the wrong hands (RFC 9700 sections 2.1, 4.1, 4.5 and 4.8).
@Suite struct CodeAttackTests {
    private static let app = ClientSignIn.games

    private func expectWrongCode(_ response: RawResponse, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(response.status == 400, sourceLocation: sourceLocation)
        #expect(response.json?["error"] == "invalid_grant", sourceLocation: sourceLocation)
        #expect(response.json?["access_token"] == nil, sourceLocation: sourceLocation)
    }

    @Test func reusedCodeRevokesItsTokens() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let app = fixture.app(.games)
            let code = fixture.keepSecret(try await Browser(app).code(Self.app, at: standIn))
            let form = Self.app.tokenForm(code)
            let tokens = try GivenTokens(try await app.post(Self.app.tokenPath, form: form), fixture)
            #expect(try await app.get("/scores", token: tokens.access).status == 200)

            expectWrongCode(try await app.post(Self.app.tokenPath, form: form))
            expectRefusal(try await app.get("/scores", token: tokens.access), 401, "token_revoked")
            expectWrongCode(try await app.post(Self.app.tokenPath, form: Self.app.refreshForm(tokens.refresh)))
        }
    }

    /// At most one gets tokens, which the others then revoke: the code has leaked.
    @Test func codePresentedConcurrentlyYieldsNoSession() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let app = fixture.app(.games)
            let code = fixture.keepSecret(try await Browser(app).code(Self.app, at: standIn))
            let responses = try await withThrowingTaskGroup(of: RawResponse.self) { group in
                for _ in 0..<6 {
                    group.addTask { try await app.post(Self.app.tokenPath, form: Self.app.tokenForm(code)) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let good = responses.filter { $0.status == 200 }
            #expect(good.count <= 1)
            for response in responses where response.status != 200 { expectWrongCode(response) }
            for response in good {
                let tokens = try GivenTokens(response, fixture)
                expectRefusal(try await app.get("/scores", token: tokens.access), 401, "token_revoked")
            }
        }
    }

    /// A code presented by another client is invalidated, so that there is nothing to try.
    @Test func stolenCodeIsRefused() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let app = fixture.app(.games)
            var otherVerifier = Self.app
            otherVerifier.verifier = String(repeating: "guess", count: 10)
            var otherClient = Self.app
            otherClient.clientID = "other-app"
            var otherPlace = Self.app
            otherPlace.redirectURI = "https://play.games.example/back?by=id"
            for thief in [otherVerifier, otherClient, otherPlace] {
                let code = fixture.keepSecret(try await Browser(app).code(Self.app, at: standIn))
                expectWrongCode(try await app.post(Self.app.tokenPath, form: thief.tokenForm(code)))
                expectWrongCode(try await app.post(Self.app.tokenPath, form: Self.app.tokenForm(code)))
            }
        }
    }

    /// An attacker's code injected into another sign-in does not match its verifier.
    @Test func injectedCodeDoesNotMatchVerifier() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let app = fixture.app(.games)
            var thief = Self.app
            thief.verifier = "the-verifier-of-the-thief-who-began-this-one-0"
            let code = try await Browser(app).code(thief, at: standIn, as: .ben)
            expectWrongCode(try await app.post(Self.app.tokenPath, form: Self.app.tokenForm(code)))
        }
    }

    @Test func requestWithoutFullProofOfPossessionGetsNoCode() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let app = fixture.app(.games)
            let downgrades: [[String: String]] = [
                ["code_challenge": "", "code_challenge_method": ""],
                ["code_challenge": ""],
                ["code_challenge_method": ""],
                ["code_challenge_method": "plain", "code_challenge": Self.app.verifier],
                ["code_challenge_method": "s256"],
                ["code_challenge": "short"],
            ]
            for changes in downgrades {
                let response = try await app.get(Self.app.authorizeTarget(changes))
                let parameters = Form.query(of: try #require(response.location, "\(changes)"))
                #expect(parameters["error"] == "invalid_request", "\(changes)")
                #expect(parameters["state"] == Self.app.state, "\(changes)")
                #expect(parameters["iss"] == "https://games.localtest", "\(changes)")
                #expect(parameters["code"] == nil, "\(changes)")
            }
            let code = try await Browser(app).code(Self.app, at: standIn)
            let form = Form.text([
                "grant_type": "authorization_code", "code": code, "redirect_uri": Self.app.redirectURI,
                "client_id": Self.app.clientID,
            ])
            let response = try await app.post(Self.app.tokenPath, form: form)
            #expect(response.status == 400)
            #expect(response.json?["error"] == "invalid_request")
        }
    }

    @Test func unregisteredRedirectURIIsNeverUsed() async throws {
        try await withApps(.games) { fixture, _ async throws in
            for address in [
                "", "games://signed-in/", "games://signed-in?x=1", "games://signed-in#x", "games://signed-in/../x",
                "games://signed-in%00", "Games://signed-in", "https://play.games.example/back", "https://evil.example/",
                "https://play.games.example/back?by=id&more=1", "https://play.games.example/back?by=id#x",
                "https://play.games.example:443/back?by=id", "https://play.games.example.evil.example/back?by=id",
                "https://play.games.example@evil.example/back?by=id", "HTTPS://play.games.example/back?by=id",
                "http://play.games.example/back?by=id", "other://signed-in", "https://games.example/back",
                "javascript:alert(1)",
            ] {
                let response = try await fixture.app(.games).get(Self.app.authorizeTarget(["redirect_uri": address]))
                #expect(response.status == 400, "\(address)")
                #expect(response.location == nil, "\(address)")
                #expect(response.fields["Set-Cookie"] == [], "\(address)")
                #expect(response.fields["Content-Type"] == ["text/html; charset=utf-8"], "\(address)")
                #expect(!response.body.text.contains("evil"), "nothing of it is on the page")
            }
        }
    }

    @Test func duplicateRedirectURIIsRefused() async throws {
        try await withApps(.games) { fixture, _ async throws in
            let app = fixture.app(.games)
            for more in ["redirect_uri=https%3A%2F%2Fevil.example%2F", "client_id=other-app"] {
                for target in [
                    Self.app.authorizeTarget() + "&" + more,
                    Self.app.authorizeTarget().replacing("authorize?", with: "authorize?\(more)&"),
                ] {
                    let response = try await app.get(target)
                    #expect(response.status == 400)
                    #expect(response.location == nil)
                }
            }
        }
    }

    /// A registered address that has a query keeps it (RFC 6749 section 3.1.2).
    @Test func responseIsAppendedToRegisteredQuery() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            var signIn = Self.app
            signIn.redirectURI = "https://play.games.example/back?by=id"
            let browser = Browser(fixture.app(.games))
            let back = try await browser.bring(try await browser.begin(signIn, at: standIn, by: .google))
            let location = try #require(back.location)
            #expect(location.hasPrefix("https://play.games.example/back?by=id&code="))
            #expect(Form.query(of: location)["iss"] == "https://games.localtest")
        }
    }

    @Test func unsupportedRequestIsReportedToClient() async throws {
        let requests: [(changes: [String: String], error: String)] = [
            (["response_type": "token"], "unsupported_response_type"),
            (["response_type": "code id_token"], "unsupported_response_type"),
            (["response_mode": "fragment"], "invalid_request"),
            (["request": "eyJ.e30."], "request_not_supported"),
            (["request_uri": "https://evil.example/r"], "request_uri_not_supported"),
            (["scope": "admin"], "invalid_scope"),
            (["prompt": "none"], "login_required"),
        ]
        try await withApps(.games) { fixture, _ async throws in
            for (changes, error) in requests {
                let response = try await fixture.app(.games).get(Self.app.authorizeTarget(changes))
                let location = try #require(response.location, "\(changes)")
                #expect(location.hasPrefix(Self.app.redirectURI), "\(changes)")
                #expect(Form.query(of: location)["error"] == error, "\(changes)")
                #expect(!location.contains("evil"), "\(changes)")
            }
        }
    }

    /// Only requested scopes that are registered for this client are granted.
    @Test func clientGetsOnlyItsOwnScopes() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let app = fixture.app(.games)
            var signIn = Self.app
            signIn.scope = "openid profile admin"
            let code = try await Browser(app).code(signIn, at: standIn)
            let tokens = try GivenTokens(try await app.post(signIn.tokenPath, form: signIn.tokenForm(code)), fixture)
            #expect(GivenTokens.claims(tokens.access)?["scope"] == "openid")
            let info = try await app.get("/id/userinfo", token: tokens.access)
            #expect(info.json?["email"] == nil)
        }
    }
}
