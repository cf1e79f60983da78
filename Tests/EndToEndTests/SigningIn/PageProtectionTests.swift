import Demo
import Testing

/// Pages that cannot be framed, scripted, cached or leaked (RFC 9700 section 4.16).
@Suite struct PageProtectionTests {
    private func expectProtected(
        _ response: RawResponse,
        _ comment: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(response.fields["X-Frame-Options"] == ["DENY"], "\(comment)", sourceLocation: sourceLocation)
        #expect(response.fields["X-Content-Type-Options"] == ["nosniff"], "\(comment)", sourceLocation: sourceLocation)
        #expect(response.fields["Cache-Control"] == ["no-store"], "\(comment)", sourceLocation: sourceLocation)
        #expect(response.fields["Referrer-Policy"] == ["no-referrer"], "\(comment)", sourceLocation: sourceLocation)
        let policies = response.fields["Content-Security-Policy"]
        #expect(policies.count == 1, "\(comment)", sourceLocation: sourceLocation)
        let policy = try #require(policies.first, "\(comment)", sourceLocation: sourceLocation)
        for directive in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"] {
            #expect(policy.contains(directive), "\(comment) \(directive)", sourceLocation: sourceLocation)
        }
        #expect(!policy.contains("unsafe") && !policy.contains("script-src"), sourceLocation: sourceLocation)
        #expect(!response.body.text.lowercased().contains("<script"), sourceLocation: sourceLocation)
    }

    @Test func everyPageIsProtected() async throws {
        try await withApps(.games) { fixture, _ async throws in
            let client = fixture.app(.games)
            let page = try await client.get(ClientSignIn.games.authorizeTarget())
            #expect(page.status == 200)
            try expectProtected(page, "the sign-in page")
            for target in [
                ClientSignIn.games.authorizeTarget(["client_id": "nobody"]),
                "/id/oauth2/callback/google?state=x&code=y", "/auth/callback?state=x",
                "/auth/login?after=//evil.example", "/id/oauth2/logout", "/id/oauth2/logout?id_token_hint=x",
            ] {
                try expectProtected(try await client.get(target), target)
            }
        }
    }

    /// Request content is escaped.
    @Test func requestContentIsEscapedOnPages() async throws {
        try await withApps(.games) { fixture, _ async throws in
            let client = fixture.app(.games)
            let markup = "\"><script>alert(1)</script>"
            for name in ["client_id", "redirect_uri", "state", "nonce", "scope", "response_type"] {
                let value = name == "scope" ? "openid \(markup)" : markup
                let page = try await client.get(ClientSignIn.games.authorizeTarget([name: value]))
                #expect(!page.body.text.contains("<script>alert"), "\(name)")
                #expect(!(page.location ?? "").contains("<"), "\(name)")
            }
        }
    }

    /// Behind TLS the sign-in cookie has the `__Host-` prefix, which no other host can set.
    @Test func signInCookieIsHostOnly() async throws {
        let proxy = "trusted_proxies: [127.0.0.1/32]"
        try await withApps(.games, gateway: proxy) { fixture, _ async throws in
            let client = fixture.app(.games)
            let secure = ["X-Forwarded-Proto: https"]
            for target in [ClientSignIn.games.authorizeTarget(), "/auth/login"] {
                let response = try await client.get(target, fields: secure)
                let cookie = try #require(response.fields["Set-Cookie"].first.flatMap { ReceivedCookie($0) })
                #expect(cookie.name.hasPrefix("__Host-"), "\(target)")
                #expect(cookie.isGuarded, "\(target)")
                #expect(!cookie.attributes.contains { $0.hasPrefix("domain") }, "\(target)")
            }
            let login = try await client.get("/auth/login", fields: secure)
            let location = try #require(login.location)
            #expect(Form.query(of: location)["redirect_uri"] == "https://games.localtest/auth/callback")
            let discovery = try await client.get("/id/.well-known/openid-configuration", fields: secure)
            #expect(discovery.json?["token_endpoint"] == "https://games.localtest/id/oauth2/token")
        }
    }

    /// URLs use the requested host, whatever the client's forwarding fields say.
    @Test func forwardedFieldsDoNotChangeURLs() async throws {
        try await withApps(.games) { fixture, _ async throws in
            let client = fixture.app(.games)
            let spoofed = [
                "X-Forwarded-Host: evil.example", "Forwarded: host=evil.example;proto=https",
                "X-Forwarded-Proto: https", "X-Original-Host: evil.example", "X_Forwarded_Host: evil.example",
            ]
            let discovery = try await client.get("/id/.well-known/openid-configuration", fields: spoofed)
            #expect(discovery.json?["jwks_uri"] == "http://games.localtest/id/oauth2/jwks.json")
            #expect(!discovery.body.text.contains("evil"))
            let login = try await client.get("/auth/login", fields: spoofed)
            let location = try #require(login.location)
            #expect(Form.query(of: location)["redirect_uri"] == "http://games.localtest/auth/callback")
            let page = try await client.get(ClientSignIn.games.authorizeTarget(), fields: spoofed)
            #expect(page.status == 200)
            #expect(!page.body.text.contains("evil"))
        }
    }

    @Test func stateAndNonceAreNewForEachSignIn() async throws {
        try await withApps(.games) { fixture, _ async throws in
            var seen: Set<String> = []
            for _ in 0..<10 {
                let login = try await fixture.app(.games).get("/auth/login")
                let parameters = Form.query(of: try #require(login.location))
                for name in ["state", "nonce", "code_challenge"] {
                    let value = try #require(parameters[name])
                    #expect(value.utf8.count >= 43, "256 bits of \(name)")
                    #expect(seen.insert(value).inserted)
                }
                #expect(parameters["code_challenge_method"] == "S256")
            }
        }
    }
}
