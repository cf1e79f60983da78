import Demo
import Testing
import Verification

/// Key-bound tokens of the built-in issuer: what a thief can do with them (RFC 9449 section 2).
@Suite struct BoundSignInTests {
    private static let app = ClientSignIn(
        base: "/id",
        clientID: "arcade-app",
        redirectURI: "arcade://back",
        scope: "openid email"
    )

    /// A sign-in in a browser, with the code bound to the key.
    private func code(_ key: AppKey, _ app: AppClient, _ standIn: ProviderStandIn) async throws -> String {
        let browser = Browser(app)
        let response = try await browser.begin(Self.app, at: standIn, changes: ["dpop_jkt": key.thumbprint])
        let back = try await browser.bring(response)
        let location = try #require(back.location)
        return try #require(Form.query(of: location)["code"])
    }

    private func signIn(
        _ key: AppKey,
        _ fixture: GatewayFixture,
        _ standIn: ProviderStandIn
    ) async throws -> GivenTokens {
        let app = fixture.app(.arcade)
        let code = fixture.keepSecret(try await code(key, app, standIn))
        return try GivenTokens(try await app.post(Self.app.tokenPath, form: Self.app.tokenForm(code), key), fixture)
    }

    private func expectGrantRefused(_ response: RawResponse, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(response.status == 400, sourceLocation: sourceLocation)
        #expect(response.json?["error"] == "invalid_grant", sourceLocation: sourceLocation)
        #expect(response.json?["access_token"] == nil, sourceLocation: sourceLocation)
    }

    /// Expects a challenge for a proof.
    private func expectProofWanted(
        _ response: RawResponse,
        _ error: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status == 401, "\(response.body.text)", sourceLocation: sourceLocation)
        let challenges = response.fields["WWW-Authenticate"]
        #expect(
            challenges.contains { $0.hasPrefix("DPoP ") && $0.contains("error=\"\(error)\"") },
            "\(challenges)",
            sourceLocation: sourceLocation
        )
        // One challenge of each scheme; only DPoP if the proof is wrong.
        let schemes = Set(challenges.map { $0.prefix { $0 != " " } })
        #expect(schemes.count == challenges.count, "\(challenges)", sourceLocation: sourceLocation)
        #expect(error == "invalid_token" || schemes == ["DPoP"], "\(challenges)", sourceLocation: sourceLocation)
    }

    @Test func keyBindsCodeTokensAndRefresh() async throws {
        try await withApps(.arcade) { fixture, standIn async throws in
            let app = fixture.app(.arcade)
            let key = try AppKey()
            let tokens = try await signIn(key, fixture, standIn)
            #expect(tokens.json["token_type"] == "DPoP")
            #expect(GivenTokens.key(of: tokens.access) == key.thumbprint)
            for path in ["/scores", "/id/userinfo", "/auth/me", "/auth/validate"] {
                let response = try await app.request("GET", path, boundToken: tokens.access, key)
                #expect(response.status == 200, "\(path) \(response.body.text)")
            }
            let form = Self.app.refreshForm(tokens.refresh)
            let next = try GivenTokens(try await app.post(Self.app.tokenPath, form: form, key), fixture)
            #expect(GivenTokens.key(of: next.access) == key.thumbprint)
            #expect(try await app.request("GET", "/scores", boundToken: next.access, key).status == 200)
        }
    }

    @Test func stolenAccessTokenIsUselessWithoutKey() async throws {
        try await withApps(.arcade) { fixture, standIn async throws in
            let app = fixture.app(.arcade)
            let key = try AppKey()
            let tokens = try await signIn(key, fixture, standIn)
            for path in ["/scores", "/id/userinfo", "/auth/me", "/auth/validate"] {
                expectProofWanted(try await app.get(path, token: tokens.access), "invalid_token")
                let proofs = [
                    try AppKey().field("GET", path, of: app, token: tokens.access),
                    try key.field("GET", path, of: app, token: tokens.access + "A"),
                    try key.field("GET", "/elsewhere", of: app, token: tokens.access),
                    try key.field("POST", path, of: app, token: tokens.access),
                ]
                for proof in proofs {
                    let fields = ["Authorization: DPoP \(tokens.access)", proof]
                    expectProofWanted(try await app.get(path, fields: fields), "invalid_dpop_proof")
                }
                // An intercepted proof is used up.
                let fields = [
                    "Authorization: DPoP \(tokens.access)",
                    try key.field("GET", path, of: app, token: tokens.access),
                ]
                #expect(try await app.get(path, fields: fields).status == 200)
                expectProofWanted(try await app.get(path, fields: fields), "invalid_dpop_proof")
            }
            expectProofWanted(
                try await app.request("POST", "/auth/logout", boundToken: tokens.access, AppKey()),
                "invalid_dpop_proof"
            )
            #expect(try await app.request("POST", "/auth/logout", boundToken: tokens.access, key).status == 200)
            #expect(try await app.request("GET", "/scores", boundToken: tokens.access, key).status == 401)
        }
    }

    @Test func stolenRefreshTokenIsRefusedAndKeepsSession() async throws {
        try await withApps(.arcade) { fixture, standIn async throws in
            let app = fixture.app(.arcade)
            let key = try AppKey()
            let tokens = try await signIn(key, fixture, standIn)
            let form = Self.app.refreshForm(tokens.refresh)
            expectGrantRefused(try await app.post(Self.app.tokenPath, form: form, AppKey()))
            let bare = try await app.post(Self.app.tokenPath, form: form)
            #expect(bare.json?["error"] == "invalid_request", "the client promised proofs")
            var other = Self.app
            other.clientID = "arcade-web"
            expectGrantRefused(try await app.post(Self.app.tokenPath, form: other.refreshForm(tokens.refresh), key))
            // A proof for another endpoint, and a used one.
            for proof in [
                try key.field("POST", "/id/oauth2/revoke", of: app), try key.field("GET", Self.app.tokenPath, of: app),
            ] {
                let response = try await app.post(Self.app.tokenPath, form: form, fields: [proof])
                #expect(response.json?["error"] == "invalid_dpop_proof")
            }
            let proof = try key.field("POST", Self.app.tokenPath, of: app)
            _ = try GivenTokens(try await app.post(Self.app.tokenPath, form: form, fields: [proof]), fixture)
            let replayed = try await app.post(Self.app.tokenPath, form: form, fields: [proof])
            #expect(replayed.status == 400 && replayed.json?["error"] == "invalid_dpop_proof")
        }
    }

    @Test func stolenCodeIsUselessWithoutKey() async throws {
        try await withApps(.arcade) { fixture, standIn async throws in
            let app = fixture.app(.arcade)
            let key = try AppKey()
            let code = fixture.keepSecret(try await code(key, app, standIn))
            let form = Self.app.tokenForm(code)
            expectGrantRefused(try await app.post(Self.app.tokenPath, form: form, AppKey()))
            // The code is then invalid for everyone.
            expectGrantRefused(try await app.post(Self.app.tokenPath, form: form, key))
        }
    }

    /// After the backend's 401 the gateway refreshes the token, which stays bound to the client's key.
    @Test func gatewayRefreshKeepsKeyBinding() async throws {
        let stub = RefreshingBackend()
        let script = BackendScript { exchange in
            try await exchange.body()
            guard stub.isPast(exchange.head) else { return try await exchange.sendOK() }
            try await exchange.send(RefreshingBackend.unauthorized + "past")
        }
        try await withApps(.arcade, backend: script) { fixture, standIn async throws in
            let app = fixture.app(.arcade)
            let key = try AppKey()
            let tokens = try await signIn(key, fixture, standIn)
            stub.end(tokens.access)
            let response = try await app.request("GET", "/scores", boundToken: tokens.access, key)
            #expect(response.status == 200, "\(response.body.text)")
            let renewed = fixture.keepSecret(try #require(response.fields["X-Refreshed-Token"].first))
            #expect(renewed != tokens.access)
            #expect(GivenTokens.key(of: renewed) == key.thumbprint)
            #expect(try await app.request("GET", "/scores", boundToken: renewed, key).status == 200)
            expectProofWanted(try await app.get("/scores", token: renewed), "invalid_token")
            expectProofWanted(
                try await app.request("GET", "/scores", boundToken: renewed, AppKey()),
                "invalid_dpop_proof"
            )
            // The client's refresh token stays valid.
            let form = Self.app.refreshForm(tokens.refresh)
            let next = try GivenTokens(try await app.post(Self.app.tokenPath, form: form, key), fixture)
            #expect(GivenTokens.key(of: next.access) == key.thumbprint)
        }
    }

    @Test func appSignInWithProofBindsTokens() async throws {
        try await withApps(.arcade) { fixture, standIn async throws in
            let app = fixture.app(.arcade)
            let key = try AppKey()
            let identity = try standIn.appleToken(.anna, for: "com.example.arcade")
            let body: JSONObject = ["identity_token": .string(identity)]
            let refused = try await app.post("/auth/apple", json: body, fields: ["DPoP: none"])
            expectProofWanted(refused, "invalid_dpop_proof")
            let tokens = try GivenTokens(try await app.post("/auth/apple", json: body, key), fixture)
            #expect(tokens.json["token_type"] == "DPoP")
            expectProofWanted(try await app.get("/auth/me", token: tokens.access), "invalid_token")
            let refresh: JSONObject = ["refresh_token": .string(tokens.refresh)]
            expectRefusal(try await app.post("/auth/refresh", json: refresh), 401, "invalid_token")
            expectRefusal(try await app.post("/auth/refresh", json: refresh, AppKey()), 401, "invalid_token")
            let next = try GivenTokens(try await app.post("/auth/refresh", json: refresh, key), fixture)
            #expect(next.json["token_type"] == "DPoP" && GivenTokens.key(of: next.access) == key.thumbprint)
            // Without a proof the tokens are ordinary bearer tokens.
            let other = try standIn.appleToken(.ben, for: "com.example.arcade")
            let plain = try GivenTokens(
                try await app.post("/auth/apple", json: ["identity_token": .string(other)]),
                fixture
            )
            #expect(plain.json["token_type"] == "bearer")
            #expect(try await app.get("/scores", token: plain.access).status == 200)
        }
    }

    /// A nonce comes with the first refusal, and the next one with each response (RFC 9449 sections 8 and 9).
    @Test func nonceIsRequiredAndOffered() async throws {
        try await withApps(.lounge) { fixture, standIn async throws in
            let app = fixture.app(.lounge)
            let key = try AppKey()
            let identity = try standIn.appleToken(.anna, for: "com.example.lounge")
            let body: JSONObject = ["identity_token": .string(identity)]
            let refused = try await app.post("/auth/apple", json: body, key)
            expectProofWanted(refused, "use_dpop_nonce")
            let first = try #require(refused.fields["DPoP-Nonce"].first)
            let response = try await app.post("/auth/apple", json: body, key, nonce: first)
            let tokens = try GivenTokens(response, fixture)
            let second = try #require(response.fields["DPoP-Nonce"].first)
            expectProofWanted(
                try await app.request("GET", "/auth/me", boundToken: tokens.access, key),
                "use_dpop_nonce"
            )
            for path in ["/auth/me", "/rooms"] {
                let known = try await app.request("GET", path, boundToken: tokens.access, key, nonce: second)
                #expect(known.status == 200, "\(path) \(known.body.text)")
            }
            // Sessions without a proof are refused here.
            let other = try standIn.appleToken(.ben, for: "com.example.lounge")
            let plain = try GivenTokens(
                try await app.post("/auth/apple", json: ["identity_token": .string(other)]),
                fixture
            )
            expectProofWanted(try await app.get("/auth/me", token: plain.access), "invalid_token")
        }
    }

    @Test func discoveryNamesProofAlgorithmsIfSupported() async throws {
        try await withApps(.arcade, .clans) { fixture, _ async throws in
            let name = "dpop_signing_alg_values_supported"
            let arcade = try await fixture.app(.arcade).get("/id/.well-known/openid-configuration")
            #expect(arcade.json?[name] == ["ES256"])
            let clans = try await fixture.app(.clans).get("/api/v1/users/.well-known/openid-configuration")
            #expect(clans.json?["issuer"] != nil && clans.json?[name] == nil)
        }
    }
}
