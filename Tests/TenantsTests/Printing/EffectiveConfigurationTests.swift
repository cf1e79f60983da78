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

    @Test func refreshingIsPrinted() throws {
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
                    more: """
                        issuer: { url: i, audience: a, algorithm: RS256, access: 5m }
                        refresh: { grace: 1d, call: { send: built_in }, deliver: { header: X-New } }
                        """
                )
            )
        )
    }

    @Test func whatIsPrintedReadsAsTheSameConfiguration() throws {
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
    private func expectSameWhenReadBack(_ first: ReadResult, at location: SourceLocation = #_sourceLocation) throws {
        let printed = Self.withSecrets(try #require(first.effective?.print(), sourceLocation: location))
        let second = Sample.read(printed, files: PretendFiles(Certificates.files))
        #expect(second.errors.isEmpty, sourceLocation: location)
        let before = try #require(first.configuration, sourceLocation: location)
        let after = try #require(second.configuration, sourceLocation: location)
        #expect(before.gateway.listeners == after.gateway.listeners, sourceLocation: location)
        #expect(before.gateway.threads == after.gateway.threads, sourceLocation: location)
        #expect(before.gateway.trustedProxies == after.gateway.trustedProxies, sourceLocation: location)
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
            #expect(one.backend == other.backend, sourceLocation: location)
            #expect(one.authenticate.from == other.authenticate.from, sourceLocation: location)
            let (policy, again) = (one.authenticate.policy, other.authenticate.policy)
            #expect(policy.leeway == again.leeway, sourceLocation: location)
            #expect(policy.requiredClaims == again.requiredClaims, sourceLocation: location)
            #expect(one.authenticate.keySources == other.authenticate.keySources, sourceLocation: location)
            #expect(one.revokeOn == other.revokeOn, sourceLocation: location)
            #expect(one.onStoreFailure == other.onStoreFailure, sourceLocation: location)
            #expect(one.maxStaleness == other.maxStaleness, sourceLocation: location)
            #expect(one.issuer == other.issuer, sourceLocation: location)
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
