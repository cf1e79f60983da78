import Testing
import Verification

@testable import Tenants

/// What `sign_in`, `accounts` and trusted origins come out as.
struct SignInTests {
    private static let issuer = "issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }"

    private static func tenant(
        _ more: String,
        auth: String = "",
        files: [String: String] = [:],
        warnings: Int = 0,
        at location: SourceLocation = #_sourceLocation
    ) throws -> Tenant {
        let text = Sample.tenant(issuers: "[{ preset: built-in }]", auth: auth, more: issuer + "\n" + more)
        let result = Sample.read(text, path: "/srv/t.yaml", files: PretendFiles(files))
        #expect(result.errors.isEmpty, sourceLocation: location)
        #expect(result.warnings.count == warnings, "\(result.warnings)", sourceLocation: location)
        return try #require(result.configuration?.tenants.first, sourceLocation: location)
    }

    private static func path(_ text: String) throws -> PathPattern { try PathPattern(text) }

    @Test func tenantMayHaveNone() throws {
        let tenant = try #require(Sample.read(Sample.tenant()).configuration?.tenants.first)
        #expect(tenant.signIn == nil)
        #expect(tenant.accounts == AccountRules())
        #expect(tenant.crossSite == CrossSiteRules())
        #expect(tenant.signInPaths.isEmpty)
    }

    @Test func providersHaveDefaultAddresses() throws {
        let signIn = try #require(
            try Self.tenant(
                """
                sign_in:
                  apple: { path: /apple, client_ids: [c, d], then: issue }
                  google: { path: /google, client_ids: [e], then: forward }
                """
            ).signIn
        )
        #expect(
            signIn
                == SignIn(
                    apple: AppleSignIn(path: try Self.path("/apple"), clientIDs: ["c", "d"], then: .issue),
                    google: GoogleSignIn(path: try Self.path("/google"), clientIDs: ["e"], then: .forward)
                )
        )
        let apple = signIn.appleAddresses
        #expect(apple.issuers == ["https://appleid.apple.com"])
        #expect(apple.tokenURL == "https://appleid.apple.com/auth/token")
        #expect(signIn.googleAddresses == SignIn().googleAddresses)
    }

    @Test func everyKeyOfAppleIsRead() throws {
        let key = try #require(try SigningKey.generate(.p256).privateKeyPEM)
        let signIn = try #require(
            try Self.tenant(
                """
                sign_in:
                  apple:
                    path: /apple
                    client_ids: [c]
                    nonce: optional
                    legacy_user_identifier: observe
                    then: forward
                    notifications: /apple/events
                    web: { client_id: w, team_id: T, key_id: K, private_key_file: keys/apple.p8 }
                    issuer: http://127.0.0.1:9
                    jwks_url: http://127.0.0.1:9/keys?a=b
                    authorize_url: http://localhost:9/authorize
                    token_url: http://[::1]:9/token
                """,
                files: ["/srv/keys/apple.p8": key],
                warnings: 1
            ).signIn
        )
        let apple = AppleSignIn(
            path: try Self.path("/apple"),
            clientIDs: ["c"],
            nonce: .optional,
            legacyBody: .observe,
            then: .forward,
            notifications: try Self.path("/apple/events"),
            web: AppleSignIn.Web(clientID: "w", teamID: "T", keyID: "K", privateKey: Secret(key)),
            issuer: "http://127.0.0.1:9",
            keys: RemoteKeySource(location: .keySet(url: "http://127.0.0.1:9/keys?a=b"), lifetime: .seconds(86_400)),
            authorizeURL: "http://localhost:9/authorize",
            tokenURL: "http://[::1]:9/token"
        )
        #expect(signIn.apple == apple)
        #expect(
            signIn.appleAddresses
                == BrowserAddresses(
                    issuers: [apple.issuer],
                    keys: apple.keys,
                    authorizeURL: apple.authorizeURL,
                    tokenURL: apple.tokenURL,
                    revokeURL: apple.revokeURL
                )
        )
        var dumped = ""
        dump(signIn, to: &dumped)
        #expect(!dumped.contains("PRIVATE"))
    }

    @Test func keyOfAppleMayComeFromTheEnvironment() throws {
        let key = try #require(try SigningKey.generate(.p256).privateKeyPEM)
        for text in [key, key.replacing("\n", with: #"\n"#)] {
            let given = #"{ client_id: w, team_id: T, key_id: K, private_key: "${APPLE_KEY}" }"#
            let result = Sample.read(
                Sample.tenant(more: "sign_in: { apple: { path: /a, client_ids: [c], then: forward, web: \(given) } }"),
                environment: ["APPLE_KEY": text]
            )
            #expect(result.diagnostics.isEmpty)
            let web = try #require(result.configuration?.tenants.first?.signIn?.apple?.web)
            #expect(web.privateKey == Secret(key))
            #expect(result.effective?.print().contains("private_key: \"\(Secret.redaction)\"") == true)
        }
    }

    @Test func missingPrivateKeyIsNil() throws {
        let signIn = try #require(
            try Self.tenant(
                """
                sign_in:
                  apple:
                    path: /apple
                    client_ids: [c]
                    then: issue
                    web: { client_id: w, team_id: T, key_id: K, private_key_file: none.p8 }
                """,
                warnings: 1
            ).signIn
        )
        #expect(signIn.apple?.web == AppleSignIn.Web(clientID: "w", teamID: "T", keyID: "K", privateKey: nil))
    }

    @Test func everyKeyOfGoogleIsRead() throws {
        let signIn = try #require(
            try Self.tenant(
                """
                sign_in:
                  google:
                    path: /google
                    client_ids: [c]
                    then: issue
                    web: { client_id: w, client_secret: canary }
                    issuer: https://g.test
                    jwks_url: https://g.test/k
                    userinfo_url: https://g.test/u
                    tokeninfo_url: https://g.test/i
                    authorize_url: https://g.test/a
                    token_url: https://g.test/t
                """
            ).signIn
        )
        #expect(
            signIn.google
                == GoogleSignIn(
                    path: try Self.path("/google"),
                    clientIDs: ["c"],
                    then: .issue,
                    web: GoogleSignIn.Web(clientID: "w", clientSecret: Secret("canary")),
                    issuers: ["https://g.test"],
                    keys: RemoteKeySource(location: .keySet(url: "https://g.test/k")),
                    userInfoURL: "https://g.test/u",
                    tokenInfoURL: "https://g.test/i",
                    authorizeURL: "https://g.test/a",
                    tokenURL: "https://g.test/t"
                )
        )
        #expect(signIn.googleAddresses.issuers == ["https://g.test"])
        #expect(signIn.googleAddresses.authorizeURL == "https://g.test/a")
        let usual = try Self.tenant(
            "sign_in: { google: { path: /g, client_ids: [c], then: issue, issuer: 'https://accounts.google.com' } }"
        )
        #expect(usual.signIn?.google?.issuers == GoogleSignIn.defaultIssuers)
    }

    private static let web = "login: /login, callback: /callback, cookies: { access: ca, refresh: cr }, client_id: w"
    private static let fromCookie = "from: [bearer, 'cookie:ca']"

    @Test func webSignInNeedsNoGoogleSection() throws {
        let tenant = try Self.tenant(
            "sign_in: { web: { \(Self.web), provider: google, client_secret: canary, after: 'https://a.test/x?y=z' } }",
            auth: Self.fromCookie
        )
        #expect(
            tenant.signIn
                == SignIn(
                    web: WebSignIn(
                        login: try Self.path("/login"),
                        callback: try Self.path("/callback"),
                        provider: .google,
                        clientID: "w",
                        clientSecret: Secret("canary"),
                        after: "https://a.test/x?y=z",
                        accessCookie: "ca",
                        refreshCookie: "cr"
                    )
                )
        )
    }

    @Test func webSignInWithAppleHasNoSecret() throws {
        let tenant = try Self.tenant(
            """
            sign_in:
              web: { \(Self.web), provider: apple, after: 'https://a.test' }
              apple:
                path: /apple
                client_ids: [c]
                then: issue
                web: { client_id: w, team_id: T, key_id: K, private_key_file: apple.p8 }
            """,
            auth: Self.fromCookie,
            files: ["/srv/apple.p8": try #require(try SigningKey.generate(.p256).privateKeyPEM)]
        )
        #expect(tenant.signIn?.web?.provider == .apple)
        #expect(tenant.signIn?.web?.clientSecret == nil)
    }

    @Test func emptySecretIsNil() throws {
        let tenant = try Self.tenant(
            """
            sign_in:
              web: { \(Self.web), provider: google, client_secret: '', after: 'https://a.test' }
              google: { path: /g, client_ids: [c], then: issue, web: { client_id: w, client_secret: '' } }
            """,
            auth: Self.fromCookie,
            warnings: 2
        )
        #expect(tenant.signIn?.web?.clientSecret == nil)
        #expect(tenant.signIn?.google?.web?.clientSecret.isEmpty == true)
    }

    @Test(arguments: [
        "https://a.test", "https://a.test:8443/x", "http://127.0.0.1:3000/", "http://localhost:3000", "http://[::1]/",
        "http://app.localhost/", "http://chat.localtest:8080/", "http://localtest",
    ])
    func pageOnLoopbackMayBeInsecure(after: String) throws {
        let tenant = try Self.tenant(
            "sign_in: { web: { \(Self.web), provider: google, client_secret: s, after: '\(after)' } }",
            auth: Self.fromCookie
        )
        #expect(tenant.signIn?.web?.after == after)
    }

    @Test func everyPathIsASignInPath() throws {
        let tenant = try Self.tenant(
            """
            sign_in:
              apple: { path: /auth/apple/exchange, client_ids: [c], then: issue, notifications: /events }
              google: { path: /google, client_ids: [c], then: issue }
              web: { \(Self.web), provider: google, client_secret: s, after: 'https://a.test/' }
              endpoints: { refresh: /refresh, validate: /validate, me: /me, logout: /logout/ }
            """,
            auth: Self.fromCookie
        )
        #expect(
            tenant.signInPaths.map(\.description) == [
                "/auth/apple/exchange", "/events", "/google", "/login", "/callback", "/refresh", "/validate", "/me",
                "/logout/", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server",
                "/oauth2/jwks.json", "/oauth2/authorize", "/oauth2/callback/apple", "/oauth2/callback/google",
                "/oauth2/token", "/oauth2/revoke", "/oauth2/introspect", "/userinfo", "/oauth2/logout",
            ]
        )
        #expect(tenant.signInPaths.contains { $0.matches(Array("/callback".utf8).span) })
        let endpoints = try #require(tenant.signIn?.endpoints)
        #expect(
            endpoints
                == SessionEndpoints(
                    refresh: try Self.path("/refresh"),
                    validate: try Self.path("/validate"),
                    me: try Self.path("/me"),
                    logout: try Self.path("/logout/")
                )
        )
    }

    @Test func accountsAreRead() throws {
        let tenant = try Self.tenant(
            """
            realm: Umuve é
            role: customer
            sign_in: { google: { path: /g, client_ids: [c], then: issue } }
            accounts: { link_by_email: true, hook: 'http://127.0.0.1:9/hook?a=b' }
            """
        )
        #expect(
            tenant.accounts
                == AccountRules(
                    realm: "Umuve é",
                    role: "customer",
                    linkByEmail: true,
                    hook: "http://127.0.0.1:9/hook?a=b"
                )
        )
    }

    @Test func tenantsOfOneRealmWithEqualSettingsAreAccepted() {
        let accounts = "realm: r\naccounts: { link_by_email: true }"
        let other = Sample.tenant(more: accounts).split(separator: "\n").dropFirst(2).joined(separator: "\n")
            .replacing("  shop:", with: "  other:").replacing("shop.test", with: "other.test")
        #expect(Sample.read(Sample.tenant(more: accounts) + other + "\n").diagnostics.isEmpty)
    }

    @Test func replayBytesAreRead() throws {
        #expect(try Self.tenant("limits: { replay_bytes: 0KiB }").limits.replayBytes == 0)
        let limits = try Self.tenant("limits: { body_bytes: 1MiB, replay_bytes: 16MiB }").limits
        #expect(limits == RequestLimits(bodyBytes: 1 << 20, replayBytes: 16 << 20))
    }

    @Test(arguments: [("0", 0), ("512B/s", 512), ("1KiB/s", 1 << 10), ("1GiB/s", 1 << 30)])
    func bodyRateIsRead(text: String, rate: Int) throws {
        #expect(try Self.tenant("limits: { body_rate: \(text) }").limits.bodyRate == rate)
    }

    @Test func bodyRateHasADefault() throws {
        #expect(try Self.tenant("limits: { body_bytes: 1MiB }").limits.bodyRate == 1 << 10)
    }
}
