import Testing

/// Browsers behind another proxy, led to sign in by its decision queries.
@Suite struct ForwardAuthSignInTests {
    private static let setup = GatewaySetup(
        gateway: "trusted_proxies: [127.0.0.1/32]",
        others: """
            pages:
              hosts: [pages.test]
              backend: { servers: ["{backend}"] }
              authenticate: { from: ["cookie:p_access"], issuers: [ { preset: built-in } ] }
              issuer: { url: "https://pages.test", audience: pages, algorithm: ES256 }
              sign_in:
                web:
                  login: /login
                  callback: /login/callback
                  provider: google
                  client_id: web
                  client_secret: only-for-tests
                  after: "https://pages.test/"
                  cookies: { access: p_access, refresh: p_refresh }
                unauthenticated: { navigations: sign_in }
            """,
        sealingKeys: GatewaySetup.sampleSealingKey
    )
    private static let browser = ["X-Forwarded-Proto: https", "Sec-Fetch-Mode: navigate", "Accept: text/html"]
    private static let location =
        "https://pages.test/login?refused=missing_token&after=https%3A%2F%2Fpages.test%2Forders%3Fx%3D1"

    private static func ask(_ target: String, _ fixture: GatewayFixture, _ fields: [String]) async throws -> RawResponse
    {
        try await fixture.request(
            target,
            host: "gatehouse.internal:8080",
            fields: ForwardAuthTests.forwarded("/orders?x=1", host: "pages.test") + fields
        )
    }

    @Test func proxyThatPassesAnyResponseOnGetsRedirect() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let response = try await Self.ask("/.gatehouse/auth", fixture, Self.browser)
            #expect(response.status == 302)
            #expect(response.location == Self.location)
        }
    }

    @Test func proxyThatTakesNoRedirectGets401WithTheLogin() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let response = try await Self.ask("/.gatehouse/auth?sign_in=401", fixture, Self.browser)
            #expect(response.status == 401)
            #expect(response.location == Self.location)
            #expect(response.fields["WWW-Authenticate"] == ["Bearer realm=\"pages\""])
        }
    }

    @Test(arguments: ["/.gatehouse/auth", "/.gatehouse/auth?sign_in=401"])
    func programsGet401WithoutLogin(target: String) async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let response = try await Self.ask(target, fixture, ["X-Forwarded-Proto: https", "Accept: */*"])
            #expect(response.status == 401 && response.location == nil)
        }
    }
}
