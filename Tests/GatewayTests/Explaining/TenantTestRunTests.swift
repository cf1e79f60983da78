import Counting
import Gateway
import Testing
import Time
import UpstreamTestSupport
import Verification

@testable import Tenants

/// The `tests` of tenants.yaml, as `gatehouse check` runs them.
struct TenantTestRunTests {
    private static let now = Clock.unix()

    private static func test(
        _ target: String,
        method: String = "GET",
        claims: JSONObject? = nil,
        fields: [(name: String, value: String)] = [],
        status: Int,
        code: String? = nil
    ) -> TenantTest {
        TenantTest(
            method: method,
            target: target,
            claims: claims,
            fields: fields,
            status: status,
            code: code,
            line: 50,
            column: 9
        )
    }

    private static func run(_ tenants: [Tenant]) async throws -> [String] {
        let configuration = TenantsConfiguration(gateway: GatewaySettings(listeners: []), tenants: tenants)
        return try await TenantTestRun.run(configuration, file: "t.yaml", at: now).map(\.description)
    }

    private static func run(_ tests: [TenantTest], _ tenant: Tenant? = nil) async throws -> [String] {
        var tenant = try tenant ?? ExplainPipeline.tenant()
        tenant.tests = tests
        return try await run([tenant])
    }

    @Test func passingTestsReportNothing() async throws {
        let mistakes = try await Self.run([
            Self.test("/open/x", status: 200), Self.test("/x", status: 401, code: "missing_token"),
            Self.test("/x", claims: [:], status: 200),
            Self.test("/admin/x", claims: ["role": "admin"], status: 200),
            Self.test("/admin/x", claims: ["role": "customer"], status: 403, code: "insufficient_role"),
            Self.test("/admin/x", claims: ["role": "customer"], status: 403),
            Self.test("/write/x", claims: ["role": "customer"], status: 403, code: "insufficient_scope"),
            Self.test("/x", claims: ["exp": 1], status: 401, code: "token_expired"),
            Self.test("/x", claims: ["iss": "https://other.test"], status: 401, code: "invalid_token"),
            Self.test("/x/..%2fy", status: 400, code: "ambiguous_path"),
            // Tests of observed rules expect the decision once they are enforced.
            Self.test("/soon/x", claims: ["role": "customer"], status: 403, code: "insufficient_role"),
        ])
        #expect(mistakes == [])
    }

    /// A test does not name the scheme.
    @Test func ownOriginHoldsForBothSchemes() async throws {
        let tenant = try ExplainPipeline.tenant(from: [.cookie(name: "session")])
        func test(_ origin: String, status: Int) -> TenantTest {
            Self.test("/x", method: "POST", claims: [:], fields: [(name: "Origin", value: origin)], status: status)
        }
        let tests = [
            test("https://app.test", status: 200), test("http://app.test", status: 200),
            test("https://evil.test", status: 403), test("https://app.test:8443", status: 403),
        ]
        #expect(try await Self.run(tests, tenant) == [])
    }

    @Test func failedTestsAreReportedWithResultAndReason() async throws {
        let mistakes = try await Self.run([
            Self.test("/admin/x", claims: ["role": "customer"], status: 200),
            Self.test("/admin/x", claims: ["role": "admin"], status: 403, code: "insufficient_role"),
            Self.test("/open/x", status: 200), Self.test("/x", status: 401, code: "token_expired"),
        ])
        #expect(
            mistakes == [
                "t.yaml:50:9: GET /admin/x: expected to go on, but it would be refused with 403 insufficient_role: "
                    + "rule /admin/** [GET] needs one of the roles admin, owner; the caller has roles customer, which is "
                    + "not enough (line 22)",
                "t.yaml:50:9: GET /admin/x: expected 403 insufficient_role, but it would go on: rule /admin/** [GET] "
                    + "needs one of the roles admin, owner; the caller has roles admin, which is enough (line 22)",
                "t.yaml:50:9: GET /x: expected 401 token_expired, but it would be refused with 401 missing_token: no "
                    + "rule of access is for this path and method: a signed-in caller is needed (line 20)",
            ]
        )
    }

    @Test func observingTenantIsTestedAsEnforcing() async throws {
        let tenant = try ExplainPipeline.tenant(mode: .observe)
        let mistakes = try await Self.run(
            [Self.test("/x", status: 401, code: "missing_token"), Self.test("/x", status: 200)],
            tenant
        )
        #expect(mistakes.count == 1)
        #expect(mistakes.first?.contains("would be refused with 401 missing_token") == true)
    }

    @Test(arguments: [Tenant.Mode.enforce, .observe])
    func signInRefusalOfTheHeadFailsATest(mode: Tenant.Mode) async throws {
        var tenant = try ExplainPipeline.tenant(mode: mode)
        tenant.signIn = try ExplainPipeline.forwardedSignIn()
        let encoded = [(name: "Content-Encoding", value: "gzip")]
        let mistakes = try await Self.run(
            [
                Self.test("/auth/apple", method: "POST", status: 200),
                Self.test("/auth/apple", method: "GET", status: 405, code: "bad_request"),
                Self.test("/auth/apple", method: "POST", fields: encoded, status: 415, code: "bad_request"),
            ],
            tenant
        )
        #expect(mistakes == [])
    }

    /// - Returns: What the tests of a whole file come to.
    private static func run(file text: String) async throws -> [String] {
        let result = TenantsFile.read(text: Array(text.utf8), path: "t.yaml", environment: [:], files: DiskFiles())
        let configuration = try #require(result.configuration, "\(result.diagnostics)")
        return try await TenantTestRun.run(configuration, file: "t.yaml", at: now).map(\.description)
    }

    /// - Parameters:
    ///   - further: Another key of the tenant.
    ///   - tests: In lines of their own.
    private static func leadingToSignIn(_ further: String = "", _ tests: String) -> String {
        """
        version: 1
        gateway:
          events: { url: "https://hooks.test/in", secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw, types: [refused] }
        tenants:
          app:
            hosts: [app.test]
            backend: { servers: ["http://127.0.0.1:9001"] }
            authenticate: { from: [bearer, "cookie:session"], issuers: [{ preset: built-in }] }
            issuer: { url: "https://app.test", audience: app, algorithm: ES256 }
            sign_in:
              web:
                login: /login
                callback: /callback
                provider: google
                client_id: web
                client_secret: secret
                after: "https://app.test/"
                cookies: { access: session, refresh: refresh }
              unauthenticated: { navigations: sign_in }
            access: [{ path: /admin, allow: { roles: [admin] } }]
            \(further)
            tests:
        \(tests)
        """
    }

    private static let browsers = """
              - { request: GET /x, headers: { Accept: text/html }, expect: { status: 302 } }
              - { request: GET /x, headers: { Accept: text/html }, expect: { status: 302, code: missing_token } }
              - { request: POST /x, headers: { Sec-Fetch-Mode: navigate }, expect: { status: 303 } }
              - { request: GET /x, headers: { Accept: application/json }, expect: { status: 401 } }
              - { request: GET /admin, headers: { Accept: text/html }, claims: {}, expect: { status: 403 } }
        """

    @Test(arguments: ["", "mode: observe"])
    func browserIsExpectedToBeLedToSignIn(further: String) async throws {
        #expect(try await Self.run(file: Self.leadingToSignIn(further, Self.browsers)) == [])
    }

    @Test func failedTestOfABrowserNamesTheLogin() async throws {
        let test = "      - { request: GET /x, headers: { Accept: text/html }, expect: { status: 401 } }"
        #expect(
            try await Self.run(file: Self.leadingToSignIn("", test)) == [
                "t.yaml:23:9: GET /x: expected 401, but it would be led to sign in with 302 missing_token: a browser opens a "
                    + "page: 302 to sign in at /login (sign_in.unauthenticated) (line 19)"
            ]
        )
    }

    /// The note on who is told of a refusal is no reason for it.
    @Test func reasonIsTheRuleWhereRefusalsAreEvents() async throws {
        let test = "      - { request: GET /admin, claims: {}, expect: { status: 200 } }"
        #expect(
            try await Self.run(file: Self.leadingToSignIn("", test)) == [
                "t.yaml:23:9: GET /admin: expected to go on, but it would be refused with 403 insufficient_role: rule "
                    + "/admin needs one of the roles admin; the caller has roles none, which is not enough (line 20)"
            ]
        )
    }

    @Test func unavailableKeysAreNotNeeded() async throws {
        var tenant = try RequestPipeline.tenant(from: [.cookie(name: "s")])
        let source = RemoteKeySource(location: .keySet(url: "https://id.test/keys"))
        tenant.authenticate.policy.issuers = [
            IssuerPolicy(
                issuer: "https://id.test",
                audiences: ["app"],
                algorithms: [.rs256],
                keys: nil,
                requiresAccessTokenType: true
            )
        ]
        tenant.authenticate.policy.requiredClaims = ["jti", "sub"]
        tenant.authenticate.keySources = [.remote(source)]
        let evil = [(name: "Origin", value: "https://evil.test")]
        let mistakes = try await Self.run(
            [
                Self.test("/x", claims: [:], status: 200),
                Self.test("/x", claims: ["aud": "other"], status: 401, code: "invalid_token"),
                Self.test("/x", claims: ["sub": nil], status: 401, code: "invalid_token"),
                Self.test("/x", method: "POST", claims: [:], fields: evil, status: 403, code: "cross_site_request"),
                Self.test("/x", method: "POST", claims: [:], status: 200),
            ],
            tenant
        )
        #expect(mistakes == [])
    }

    @Test func opaqueTokensAndProofsAreNotTested() async throws {
        var tenant = try RequestPipeline.tenant()
        tenant.authenticate.policy.issuers = []
        tenant.authenticate.keySources = []
        tenant.introspection = Introspection(
            url: "https://id.test/introspect",
            clientID: "g",
            clientSecret: Secret("s"),
            audiences: ["app"]
        )
        tenant.proof = ProofRules()
        let mistakes = try await Self.run([Self.test("/x", claims: [:], status: 200)], tenant)
        #expect(mistakes == [])
    }

    @Test func codesOfTestsAreThoseOfRefusals() {
        for code in TenantTest.codes { #expect(RefusalCode(rawValue: code) != nil, "\(code)") }
        #expect(Set(TenantTest.codes).count == TenantTest.codes.count)
    }
}
