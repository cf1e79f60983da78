import Authorization
import IdentityProvider
import Testing

@testable import Gateway
@testable import Tenants

/// What explanations say of the login in a browser, the account page, passkeys and the deletion of accounts.
struct SignInExplanationTests {
    private static let text = """
        version: 1
        tenants:
          app:
            hosts: [app.test]
            backend: { servers: ["http://127.0.0.1:9001"] }
            authenticate: { from: [bearer, "cookie:session"], issuers: [{ preset: built-in }] }
            issuer: { url: "https://app.test", audience: app, algorithm: ES256 }
            sign_in:
              google: { path: /g, client_ids: [c], then: issue, web: { client_id: w, client_secret: canary } }
              providers: { company: { issuer: "https://id.test", client_id: c, client_secret: canary } }
              web:
                login: /login
                callback: /callback
                after: "https://app.test/home?key=canary"
                cookies: { access: session, refresh: refresh }
              account_page: /account
              passkeys: { rp_id: app.test, name: App }
              delete_account: { path: DELETE /me, call: { method: DELETE, path: "/users/{subject}" } }
              unauthenticated: { navigations: sign_in }
              who: { email_domains: [app.test, other.test] }
        """

    private func report(_ target: String, _ method: String, replacing: [String: String] = [:]) throws -> DecisionReport
    {
        let text = replacing.reduce(Self.text) { $0.replacing($1.key, with: $1.value) }
        let result = TenantsFile.read(text: Array(text.utf8), path: "f", environment: [:], files: DiskFiles())
        let configuration = try #require(result.configuration, "\(result.diagnostics)")
        let pipeline = ExplainPipeline(try #require(configuration.tenants.first), gateway: configuration.gateway)
        return try pipeline.report(target, method: method)
    }

    /// The notes on the endpoint, without the first half of the one that all have.
    private func notes(_ target: String, _ method: String = "GET", replacing: [String: String] = [:]) throws -> [String]
    {
        let report = try report(target, method, replacing: replacing)
        #expect(report.decision == .forward)
        for step in report.steps { #expect(!step.text.contains("canary"), "\(step)") }
        return report.steps.filter { $0.step == "endpoint" }
            .map { $0.text.replacing("the gateway answers this path itself ", with: "") }
    }

    private static func rest(_ words: String) -> String {
        "(\(words)): no rule of access is asked, and the backend does not see it"
    }

    private static let result = [
        "only those come in who have a verified e-mail in app.test, other.test; others get 403 not_allowed",
        "then it gets the cookies session and refresh, and is led to https://app.test/home, or to where \"after\" of the "
            + "request says on the same origin",
    ]

    @Test func loginIsExplained() throws {
        let led = "browsers that open a page without a good token are led here, and back to that page"
        #expect(
            try notes("/login") == [
                Self.rest("login in a browser"),
                "a browser gets a page to sign in with google, company or a passkey of app.test",
            ] + Self.result + [led]
        )
        #expect(try notes("/callback/google") == [Self.rest("return from a provider")] + Self.result)
        let lines = try report("/login", "GET").steps.filter { $0.step == "endpoint" }.map(\.line)
        #expect(lines == [8, 11, 20, 11, 19])
    }

    @Test func loginAtOneProviderIsExplained() throws {
        let providers =
            #"      providers: { company: { issuer: "https://id.test", client_id: c, client_secret: canary } }"#
        let passkeys = "      passkeys: { rp_id: app.test, name: App }\n"
        let who = "who: { email_domains: [app.test, other.test] }"
        let client = "login: /login\n        provider: google\n        client_id: w\n        client_secret: canary"
        let changed = ["\(providers)\n": "", passkeys: "", "login: /login": client, who: ""]
        let one = try notes("/login", replacing: changed)
        #expect(one[1] == "a browser is led to sign in with google")
        #expect(one[2] == "everybody comes in whom a provider signs in")
        let groups = try notes("/login", replacing: [passkeys: "", who: "who: { groups: [staff] }"])
        #expect(groups[1] == "a browser gets a page to sign in with google, company")
        #expect(groups[2] == "only those come in who have one of the groups staff; others get 403 not_allowed")
    }

    @Test func accountPageIsExplained() throws {
        #expect(
            try notes("/account") == [
                Self.rest("account page"),
                "people see and end their sessions at this tenant, see and unlink their logins, make and remove passkeys of "
                    + "app.test, delete their account here",
                "they are known by the cookies session and refresh; whoever has none that is good is led to /login, and back",
                "changes need the form's own token and come from the same site or a trusted origin, in observe mode too; all "
                    + "but the end of sessions need a sign-in within the last 15 minutes",
            ]
        )
    }

    @Test func passkeysAreExplained() throws {
        #expect(
            try notes("/account/passkeys", "POST") == [
                Self.rest("sign-in with a passkey"),
                "a sign-in page sends a passkey of app.test here: it needs the cookie of its sign-in, begun within the last "
                    + "10 minutes, and a user whom the device has verified",
                "one of the tenant's providers must have signed the person in within the last 30d", Self.result[0],
            ]
        )
        let open = try notes(
            "/account/passkeys",
            "POST",
            replacing: ["who: { email_domains: [app.test, other.test] }": ""]
        )
        #expect(open.last == "one of the tenant's providers must have signed the person in once")
        #expect(
            try notes("/account/passkeys.js") == [
                Self.rest("script for passkeys"), "everybody gets the same script, without a sign-in",
            ]
        )
    }

    @Test func deletionIsExplained() throws {
        #expect(
            try notes("/me", "DELETE") == [
                Self.rest("deletion of an account"),
                "it needs an access token of the tenant's own issuer that people have got by signing in here; tokens of its "
                    + "clients get 403 not_allowed. A session that was begun in a browser takes a sign-in within the last "
                    + "15 minutes, and by the cookie session the request comes from the same site or a trusted origin, in "
                    + "observe mode too",
                "the deletion is kept first; then all sessions end, the account is removed, what Apple and Google have given "
                    + "for it is taken back, the backend is told by DELETE /users/{subject}, each tried until it is done",
                "the response is 202 with a receipt, to be read again at /me/receipt",
            ]
        )
        #expect(
            try notes("/me/receipt") == [
                Self.rest("receipt of a deletion"),
                "whoever has the id of a receipt reads it, without a token, until 30 days after the last step",
            ]
        )
    }

    /// No explanation has a name of the source code.
    @Test func everyEndpointHasWordsForPeople() throws {
        let names = Endpoint.allCases.filter { $0.rawValue.contains { $0.isUppercase } }.map(\.rawValue)
        #expect(names.count > 10)
        for (target, method) in [("/g", "POST"), ("/login", "GET"), ("/account", "GET"), ("/oauth2/token", "POST")] {
            let text = try notes(target, method).joined(separator: "\n")
            #expect(!names.contains { text.contains($0) }, "\(text)")
        }
    }
}
