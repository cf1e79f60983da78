import Tenants
import Testing
import Verification

struct EffectiveConfigurationTests {
    /// Long enough to be a secret again.
    private static func withSecrets(_ printed: String) -> String {
        printed.replacing(Secret.redaction, with: String(repeating: "s", count: 64))
    }

    @Test func defaultsAreWrittenOut() throws {
        let printed = try #require(Sample.read(Sample.tenant()).effective?.print())
        for line in [
            "listen: [{ address: 127.0.0.1:8080 }]", "store: \"embedded:gatehouse.db\"", "header_bytes: 32KiB",
            "mode: enforce",
            "leeway: 60s", "on_expiry: close", "balance: round_robin", "attempts: 2", "methods: [GET, HEAD, OPTIONS]",
            "on: [connect_failure, reset_before_response]",
        ] {
            #expect(printed.contains(line), "\(line)")
        }
        for line in ["sign_in", "health:", "tls:"] { #expect(!printed.contains(line), "\(line)") }
    }

    @Test func secretsAreRedacted() throws {
        let printed = try #require(Sample.read(Sample.tenant()).effective?.print())
        #expect(!printed.contains(Sample.secret))
        #expect(printed.contains("secret: \"<redacted>\""))
        let store = try #require(Sample.read(Sample.gateway("store: 'redis://u:p@h:1/0'")).effective?.print())
        #expect(store.contains("store: \"redis://<redacted>@h:1/0\""))
    }

    @Test(arguments: [
        (
            "rediss+sentinel://u:canary@a,b/m/0?sentinel_user=s&sentinel_password=canary&server_name=c.test&ca_file=shop.pem",
            "rediss+sentinel://<redacted>@a,b/m/0?sentinel_user=<redacted>&sentinel_password=<redacted>"
                + "&server_name=c.test&ca_file=shop.pem"
        ),
        ("redis://:canary@127.0.0.1", "redis://<redacted>@127.0.0.1"),
        ("redis://localhost:1/2", "redis://localhost:1/2"),
        ("embedded:gate.db", "embedded:gate.db"),
    ])
    func aStoresPasswordsAreRedacted(store: String, printed: String) throws {
        let result = Sample.read(Sample.gateway("store: '\(store)'"), files: PretendFiles(Certificates.files))
        #expect(try #require(result.effective?.print()).contains("  store: \"\(printed)\"\n"))
    }

    @Test func keySourcesAndRevocationArePrinted() throws {
        let result = Sample.read(
            Sample.tenant(
                issuers:
                    "[{ issuer: i, audiences: [a], algorithms: [RS256], jwks_url: 'https://id.test/k?key=canary' }]",
                more: "revoke_on: [POST /logout]"
            ) + "gateway: { state_dir: state }\n",
            files: PretendFiles(["state/a": ""])
        )
        let printed = try #require(result.effective?.print())
        for line in [
            "state_dir: state", "jwks_url: \"https://id.test/k?key=<redacted>\"", "- \"POST /logout\"",
            "on_store_failure: deny", "max_staleness: 30s",
        ] {
            #expect(printed.contains(line), "\(line)")
        }
        #expect(!printed.contains("canary"))
    }

    @Test func refreshIsPrinted() throws {
        let first = Sample.read(
            Sample.tenant(
                more: """
                    refresh:
                      from: "cookie:r"
                      call: { send: oauth2, path: "/token?key=canary", client_id: c, client_secret: canary }
                      deliver: { header: X-New, cookies: { r: /refresh_token, "a+b": "/data/a~1b" } }
                    """
            )
        )
        let printed = try #require(first.effective?.print())
        for line in [
            "on_401: true", "within: 0s", "grace: 0s", "from: \"cookie:r\"", "method: POST", "send: oauth2",
            "path: \"/token?key=<redacted>\"", "access_token: /access_token", "client_id: c",
            "client_secret: \"<redacted>\"", "r: /refresh_token", "replay_bytes: 64KiB",
        ] {
            #expect(printed.contains(" \(line)\n"), "\(line)")
        }
        #expect(!printed.contains("canary"))
        try expectSameWhenReadBack(
            Sample.read(
                Sample.tenant(
                    more: """
                        refresh:
                          within: 5m
                          from: vault
                          call: { send: oauth2, path: "https://id.test/t", client_id: c, client_secret: s }
                          deliver: { header: X-New, cookies: { z: /refresh_token, "a+b": "/data/a~1b" } }
                          vault: { capture: [{ path: /login, access_token: /a }] }
                        """
                )
            )
        )
        try expectSameWhenReadBack(
            Sample.read(
                Sample.tenant(
                    issuers: "[{ preset: built-in }]",
                    more: """
                        issuer: { url: 'https://i.test', audience: a, algorithm: RS256, access: 5m }
                        refresh: { grace: 1d, call: { send: built_in }, deliver: { header: X-New } }
                        """
                )
            )
        )
    }

    @Test func signInIsPrinted() throws {
        let first = Sample.read(Self.signingIn, files: Self.files)
        #expect(first.diagnostics.isEmpty)
        let printed = try #require(first.effective?.print())
        for line in [
            "realm: r", "role: customer", "link_by_email: true", "hook: \"http://127.0.0.1:9/h?key=<redacted>\"",
            "client_secret: \"<redacted>\"", "secret: \"<redacted>\"", "private_key_file: apple.p8",
            "nonce: required", "legacy_user_identifier: deny", "notifications: /events",
            "authorize_url: https://appleid.apple.com/auth/authorize",
            "after: \"https://a.test/?x=y\"", "access: ca", "refresh: cr", "logout: /logout",
            "account_page: /account", "rp_id: shop.test", "base_path: /oidc",
            "rotate_every: 90d", "id: 1h", "public: true", "public: false", "- \"app://back\"", "name: Shop",
            "color: \"#0a7cff\"",
        ] {
            #expect(printed.contains(" \(line)\n"), "\(line)")
        }
        #expect(!printed.contains("canary"))
        #expect(!printed.contains("PRIVATE KEY"))
        let shown = Sample.read(Self.signingIn.replacing("?key=canary", with: ""), files: Self.files)
        try expectSameWhenReadBack(shown, files: Self.files)
    }

    private static let files = PretendFiles(["apple.p8": (try? SigningKey.generate(.p256).privateKeyPEM) ?? ""])

    private static let signingIn = Sample.tenant(
        issuers: "[{ preset: built-in }]",
        auth: "from: [bearer, 'cookie:ca']",
        more: """
            realm: r
            role: customer
            accounts: { link_by_email: true, hook: "http://127.0.0.1:9/h?key=canary" }
            sign_in:
              apple:
                path: /apple
                client_ids: [c]
                then: issue
                notifications: /events
                web: { client_id: w, team_id: T, key_id: K, private_key_file: apple.p8 }
              google:
                { path: /google, client_ids: [c], then: issue, web: { client_id: w, client_secret: canary-of-google } }
              web:
                login: /login
                callback: /callback
                provider: google
                client_id: w
                client_secret: canary-of-the-web
                after: "https://a.test/?x=y"
                cookies: { access: ca, refresh: cr }
              endpoints: { refresh: /refresh, validate: /validate, me: /me, logout: /logout }
              account_page: /account
              passkeys: { rp_id: shop.test, name: Shop }
            issuer:
              url: https://i.test
              audience: a
              algorithm: ES256
              base_path: /oidc
              page: { name: Shop, color: "#0a7cff" }
              clients:
                - { id: app, public: true, redirect_uris: ["app://back"], scopes: [openid, email] }
                - { id: site, secret: canary-of-a-client, redirect_uris: ["https://s.test/cb"] }
            """
    )

    @Test func printedConfigurationReadsAsTheSame() throws {
        let minimal = Sample.read(Sample.tenant())
        try expectSameWhenReadBack(minimal)
        try expectSameWhenReadBack(Sample.read(try ExampleTests.text))
        try expectSameWhenReadBack(
            Sample.read(
                Sample.tenant(
                    issuers: "[{ preset: google, audiences: [a] }, { preset: apple, audiences: [a] }]",
                    more: """
                        sign_in: { apple: { path: /a, client_ids: [a], then: forward, jwks_url: 'http://[::1]/' } }
                        revoke_on: [POST /logout]
                        on_store_failure: allow
                        max_staleness: 5s
                        """
                ) + "gateway: { store: 'rediss://h/3?ca_file=shop.pem' }\n",
                files: PretendFiles(Certificates.files)
            )
        )
        try expectSameWhenReadBack(
            Sample.read(
                Sample.tenant(
                    backend: """
                        { servers: [{ url: 'https://a.test', weight: 2 }], balance: hash:subject, \
                        health: { path: /h, every: 1s }, retries: { on: [], methods: [PUT] }, \
                        tls: { ca_file: shop.pem, server_name: b.test } }
                        """,
                    more: """
                        websocket: { on_expiry: keep }
                        tls: { certificate_file: shop.pem, key_file: shop.key, client_ca_file: shop.pem }
                        """
                ),
                files: PretendFiles(Certificates.files)
            )
        )
        try expectSameWhenReadBack(
            Sample.read(
                Sample.tenant(
                    auth: "require: ['$${a}', 'x\"\\y', \"a\\tb\\u2028\", 'true', '~', '']".replacing(", ''", with: ""),
                    more: "tests: [{ request: GET /, claims: { a: [1, { b: c }] }, expect: { status: 200 } }]"
                )
            )
        )
    }

    /// That the schema's defaults are the model's, too: the first reading has the model's, the second the schema's.
    private func expectSameWhenReadBack(
        _ first: ReadResult,
        files: PretendFiles = PretendFiles(Certificates.files),
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let printed = Self.withSecrets(try #require(first.effective?.print(), sourceLocation: location))
        let second = Sample.read(printed, files: files)
        #expect(second.errors.isEmpty, sourceLocation: location)
        let before = try #require(first.configuration, sourceLocation: location)
        let after = try #require(second.configuration, sourceLocation: location)
        #expect(before.gateway.listeners == after.gateway.listeners, sourceLocation: location)
        #expect(before.gateway.threads == after.gateway.threads, sourceLocation: location)
        #expect(before.gateway.trustedProxies == after.gateway.trustedProxies, sourceLocation: location)
        #expect(before.gateway.shutdownDelay == after.gateway.shutdownDelay, sourceLocation: location)
        #expect(before.gateway.shutdownGrace == after.gateway.shutdownGrace, sourceLocation: location)
        #expect(before.gateway.store == after.gateway.store, sourceLocation: location)
        #expect(before.gateway.stateDirectory == after.gateway.stateDirectory, sourceLocation: location)
        #expect(before.gateway.limits == after.gateway.limits, sourceLocation: location)
        #expect(before.gateway.log == after.gateway.log, sourceLocation: location)
        #expect(before.gateway.admin?.address == after.gateway.admin?.address, sourceLocation: location)
        #expect(before.tenants.count == after.tenants.count, sourceLocation: location)
        for (one, other) in zip(before.tenants, after.tenants) {
            #expect(one.hosts == other.hosts, sourceLocation: location)
            #expect(
                one.stripPrefix == other.stripPrefix && one.pathPrefix == other.pathPrefix,
                sourceLocation: location
            )
            #expect(one.backends == other.backends, sourceLocation: location)
            #expect(one.authenticate.from == other.authenticate.from, sourceLocation: location)
            let (policy, again) = (one.authenticate.policy, other.authenticate.policy)
            #expect(policy.leeway == again.leeway, sourceLocation: location)
            #expect(policy.requiredClaims == again.requiredClaims, sourceLocation: location)
            #expect(one.authenticate.keySources == other.authenticate.keySources, sourceLocation: location)
            #expect(one.revokeOn == other.revokeOn, sourceLocation: location)
            #expect(one.onStoreFailure == other.onStoreFailure, sourceLocation: location)
            #expect(one.maxStaleness == other.maxStaleness, sourceLocation: location)
            #expect(withoutSecrets(one.issuer) == withoutSecrets(other.issuer), sourceLocation: location)
            #expect(withoutSecrets(one.signIn) == withoutSecrets(other.signIn), sourceLocation: location)
            #expect(one.accounts == other.accounts, sourceLocation: location)
            #expect(one.crossSite.trustedOrigins == other.crossSite.trustedOrigins, sourceLocation: location)
            #expect(one.signInPaths == other.signInPaths, sourceLocation: location)
            expectSame(one.refresh, other.refresh, at: location)
            #expect(policy.issuers.map(\.algorithms) == again.issuers.map(\.algorithms), sourceLocation: location)
            #expect(one.access.rules.map(\.path) == other.access.rules.map(\.path), sourceLocation: location)
            #expect(one.access.rules.map(\.allow) == other.access.rules.map(\.allow), sourceLocation: location)
            #expect(one.identity == other.identity, sourceLocation: location)
            #expect(one.mode == other.mode && one.limits == other.limits, sourceLocation: location)
            #expect(one.tls == other.tls && one.webSocket == other.webSocket, sourceLocation: location)
        }
    }

    /// Secrets are others after they were redacted; whether there are any is the same.
    private func withoutSecrets(_ issuer: BuiltInIssuer?) -> BuiltInIssuer? {
        guard var issuer else { return nil }
        for index in issuer.clients.indices where issuer.clients[index].secret != nil {
            issuer.clients[index].secret = Secret(Secret.redaction)
        }
        return issuer
    }

    private func withoutSecrets(_ signIn: SignIn?) -> SignIn? {
        guard var signIn else { return nil }
        if signIn.google?.web != nil { signIn.google?.web?.clientSecret = Secret(Secret.redaction) }
        if signIn.web?.clientSecret != nil { signIn.web?.clientSecret = Secret(Secret.redaction) }
        return signIn
    }

    /// The secret of a client is another after it was redacted.
    private func expectSame(_ one: RefreshRules?, _ other: RefreshRules?, at location: SourceLocation) {
        var (one, other) = (one, other)
        if case .oauth2(let id, .some)? = one?.call.strategy, case .oauth2(let again, .some)? = other?.call.strategy {
            #expect(id == again, sourceLocation: location)
            one?.call.strategy = .bearer
            other?.call.strategy = .bearer
        }
        #expect(one == other, sourceLocation: location)
    }
}
