import Testing
import Verification

@testable import Tenants

/// What `refresh` comes out as.
struct RefreshRulesTests {
    private static func rules(
        _ refresh: String,
        issuers: String = "[\(Sample.issuer)]",
        auth: String = "",
        more: String = "",
        warnings: Int = 0,
        at location: SourceLocation = #_sourceLocation
    ) throws -> RefreshRules {
        let result = Sample.read(Sample.tenant(issuers: issuers, auth: auth, more: "refresh: { \(refresh) }\n\(more)"))
        #expect(result.errors.isEmpty, sourceLocation: location)
        #expect(result.warnings.count == warnings, sourceLocation: location)
        let tenant = try #require(result.configuration?.tenants.first, sourceLocation: location)
        return try #require(tenant.refresh, sourceLocation: location)
    }

    private static func pointer(_ text: String) throws -> JSONPointer {
        try #require(JSONPointer(text))
    }

    @Test func tenantWithoutTheSectionHasNoRefresh() throws {
        let tenant = try #require(Sample.read(Sample.tenant()).configuration?.tenants.first)
        #expect(tenant.refresh == nil)
        #expect(tenant.refreshGrace == .zero)
        #expect(tenant.issuer == nil)
        #expect(tenant.signInPaths.isEmpty)
        #expect(tenant.limits.replayBytes == 65_536)
    }

    @Test func bearerHasDefaults() throws {
        let rules = try Self.rules("call: { send: bearer, path: /api/auth/refresh }, deliver: { header: X-New }")
        #expect(
            rules
                == RefreshRules(
                    onUnauthorized: true,
                    within: .zero,
                    grace: .zero,
                    source: .none,
                    call: RefreshCall(
                        strategy: .bearer,
                        method: "POST",
                        target: .backend(path: "/api/auth/refresh"),
                        accessToken: try Self.pointer("/access_token"),
                        refreshToken: nil
                    ),
                    delivery: RefreshDelivery(header: "X-New", cookies: []),
                    captures: []
                )
        )
    }

    @Test func everyKeyIsRead() throws {
        let rules = try Self.rules(
            """
            on_401: false, within: 90s, grace: 7d, from: "cookie:r", \
            call: { send: oauth2, method: PATCH, path: "https://id.test/token?a=b", client_id: c, client_secret: s, \
            access_token: /data/0, refresh_token: /data/1 }, \
            deliver: { header: X-New, cookies: { z: /data/0, r: /data/1, a: /more } }
            """
        )
        #expect(!rules.onUnauthorized)
        #expect(rules.within == .seconds(90))
        #expect(rules.grace == .seconds(7 * 86_400))
        #expect(rules.source == .cookie(name: "r"))
        #expect(rules.call.strategy == .oauth2(clientID: "c", clientSecret: Secret("s")))
        #expect(rules.call.method == "PATCH")
        #expect(rules.call.target == .url("https://id.test/token?a=b"))
        #expect(try rules.call.accessToken == Self.pointer("/data/0"))
        #expect(try rules.call.refreshToken == Self.pointer("/data/1"))
        #expect(rules.delivery.header == "X-New")
        #expect(rules.delivery.cookies.map(\.name) == ["z", "r", "a"])
        #expect(rules.delivery.cookies.map(\.value.text) == ["/data/0", "/data/1", "/more"])
    }

    @Test(arguments: [
        ("send: bearer, path: /r", "", RefreshWithoutStore.alone),
        ("send: bearer, path: /r", "without_store: refuse, ", .refuse),
        ("send: refresh_token_json, path: /r", "from: vault, vault: { capture: [{ path: /l }] }, ", .refuse),
        (
            "send: refresh_token_json, path: /r",
            "from: vault, vault: { capture: [{ path: /l }] }, without_store: alone, ", .alone
        ),
        (
            "send: oauth2, client_id: c, path: \"https://id.test/token\"",
            "from: vault, vault: { capture: [{ path: /l }] }, ", .refuse
        ),
    ])
    func withoutStoreDependsOnTheStrategy(call: String, keys: String, expected: RefreshWithoutStore) throws {
        let rules = try Self.rules("\(keys)call: { \(call) }, deliver: { header: X-New }")
        #expect(rules.withoutStore == expected)
    }

    @Test func vaultCapturesAreRead() throws {
        let rules = try Self.rules(
            """
            from: vault, call: { send: refresh_token_json, path: /r }, deliver: { header: X-New }, \
            vault: { capture: [{ path: /login }, { path: "/auth/*/**", access_token: /a, refresh_token: "/r~1s" }] }
            """
        )
        #expect(rules.source == .vault)
        #expect(
            rules.captures == [
                TokenCapture(
                    path: try PathPattern("/login"),
                    accessToken: try Self.pointer("/access_token"),
                    refreshToken: try Self.pointer("/refresh_token")
                ),
                TokenCapture(
                    path: try PathPattern("/auth/*/**"),
                    accessToken: try Self.pointer("/a"),
                    refreshToken: try Self.pointer("/r~1s")
                ),
            ]
        )
    }

    @Test(arguments: ["refresh_token_json", "oauth2"])
    func refreshTokenPointerHasADefault(send: String) throws {
        let client = send == "oauth2" ? ", client_id: c" : ""
        let rules = try Self.rules(
            """
            from: "cookie:r", call: { send: \(send), path: /r\(client) }, \
            deliver: { header: X-New, cookies: { r: /refresh_token } }
            """
        )
        #expect(try rules.call.refreshToken == Self.pointer("/refresh_token"))
        if send == "oauth2" { #expect(rules.call.strategy == .oauth2(clientID: "c", clientSecret: nil)) }
    }

    @Test func builtInRefreshHasNoRequest() throws {
        let rules = try Self.rules(
            """
            within: 5m, grace: 30d, from: "cookie:r", call: { send: built_in }, \
            deliver: { cookies: { a: /access_token, r: /refresh_token } }
            """,
            issuers: "[{ preset: built-in }]",
            auth: "from: [bearer, 'cookie:a']",
            more: "issuer: { url: 'https://i.test', audience: a, algorithm: RS256, access: 30m }"
        )
        #expect(rules.call.strategy == .builtIn)
        #expect(rules.call.target == nil)
        #expect(try rules.call.accessToken == Self.pointer("/access_token"))
        #expect(try rules.call.refreshToken == Self.pointer("/refresh_token"))
        let bare = try Self.rules(
            "call: { send: built_in }, deliver: { header: X-New }",
            // An issuer that is listed with keys of its own is trusted as well.
            issuers: "[{ issuer: 'https://i.test', audiences: [a], algorithms: [HS256], secret: \(Sample.secret) }]",
            more: "issuer: { url: 'https://i.test', audience: a, algorithm: RS256 }"
        )
        #expect(bare.source == .none)
    }

    @Test(arguments: [
        ("/r", "/r"), ("/r?a=b&c=/../*", "/r?a=b&c=/../*"), ("/", "/"), ("/a//b/", "/a//b/"), ("/%7e;v=1", "/%7e;v=1"),
        ("/to?http://a", "/to?http://a"),
    ])
    func pathIsOnTheBackend(written: String, path: String) throws {
        let rules = try Self.rules("call: { send: bearer, path: '\(written)' }, deliver: { header: X-New }")
        #expect(rules.call.target == .backend(path: path))
    }

    @Test(arguments: [
        "http://127.0.0.1:9/t", "http://localhost/t", "http://[::1]/t", "https://id.test", "https://a:9/",
    ])
    func urlIsAnotherServer(url: String) throws {
        let rules = try Self.rules("call: { send: bearer, path: '\(url)' }, deliver: { header: X-New }")
        #expect(rules.call.target == .url(url))
    }

    @Test(arguments: ["on_401: true", "on_401: false, within: 1s", "on_401: false, grace: 1s", "within: 0s"])
    func oneTriggerIsEnough(keys: String) throws {
        _ = try Self.rules("\(keys), call: { send: bearer, path: /r }, deliver: { header: X-New }")
    }

    /// Bearer clients may get the new token in a header even if tokens are taken from cookies only.
    @Test func headerReachesClientsOfEverySource() throws {
        for from in ["[bearer]", "['cookie:a']", "['header:x-token']"] {
            _ = try Self.rules("call: { send: bearer, path: /r }, deliver: { header: X-New }", auth: "from: \(from)")
        }
        let cookies = "call: { send: bearer, path: /r }, deliver: { cookies: { a: /access_token } }"
        _ = try Self.rules(cookies, auth: "from: [bearer, 'cookie:a']")
        _ = try Self.rules(cookies, auth: "from: ['header:x-token']", warnings: 1)
        _ = try Self.rules(cookies.replacing("cookies:", with: "header: X-New, cookies:"))
    }

    @Test func getMayCarryTheAccessToken() throws {
        let rules = try Self.rules("call: { send: bearer, path: /r, method: GET }, deliver: { header: X-New }")
        #expect(rules.call.method == "GET")
    }

    @Test func clientSecretIsNotDescribed() throws {
        let rules = try Self.rules(
            "from: vault, call: { send: oauth2, path: /r, client_id: c, client_secret: canary }, "
                + "deliver: { header: X-New }, vault: { capture: [{ path: /login }] }"
        )
        var dumped = ""
        dump(rules, to: &dumped)
        #expect(!dumped.contains("canary"))
    }
}
