import Authorization
import Testing
import Verification

@testable import Gateway
@testable import Tenants

/// What explanations say of the gateway's own endpoints: single sign-on, clients, logouts, signals and events.
struct EndpointExplanationTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let text = """
        version: 1
        gateway:
          events: { url: "https://hooks.test:8443/in?token=canary", secret: \(secret), types: TYPES }
        tenants:
          app:
            hosts: [app.test]
            path_prefix: /shop
            backend: { servers: ["http://127.0.0.1:9001"] }
            authenticate:
              issuers:
                - { preset: built-in }
                - { issuer: "https://old.test", audiences: [app], algorithms: [HS256], secret: "\(secret)\(secret)" }
            access: [{ path: /shop/open, allow: anyone }]
            issuer:
              url: https://app.test
              audience: app
              algorithm: ES256
              single_sign_on: SINGLE
              refresh_rotation: log
              base_path: /shop/id
              clients:
                - id: mobile
                  public: true
                  redirect_uris: ["https://app.test/back"]
                  frontchannel_logout_uri: "https://app.test/out?a=canary"
                - id: partner
                  secret: \(secret)
                  redirect_uris: ["https://partner.test/back"]
                  backchannel_logout_uri: "https://partner.test/logout?key=canary"
            signals:
              - { issuer: "https://risk.test", audience: app, jwks_url: "https://risk.test/keys", bearer: \(secret) }
            sign_in: { google: { path: /shop/g, client_ids: [c], then: issue, web: { client_id: w, client_secret: \(secret) } } }
        """

    private func pipeline(singleSignOn: String = "8h", types: String = "[signed_in, revoked, signed_out]") throws
        -> ExplainPipeline
    {
        let text = Self.text.replacing("SINGLE", with: singleSignOn).replacing("TYPES", with: types)
        let result = TenantsFile.read(text: Array(text.utf8), path: "f", environment: [:], files: DiskFiles())
        let configuration = try #require(result.configuration, "\(result.diagnostics)")
        return ExplainPipeline(try #require(configuration.tenants.first), gateway: configuration.gateway)
    }

    /// The notes between the one on the path and the decision.
    private func notes(_ report: DecisionReport) -> [String] {
        for step in report.steps {
            #expect(!step.text.contains("canary") && !step.text.contains("whsec"), "\(step)")
        }
        return report.steps.filter { ["endpoint", "events"].contains($0.step) }.dropFirst().map(\.text)
    }

    private func authorize(_ query: String, singleSignOn: String = "8h") throws -> [String] {
        notes(try pipeline(singleSignOn: singleSignOn).report("/shop/id/oauth2/authorize\(query)"))
    }

    @Test(arguments: [
        ("", "8h", "a browser that has signed in here needs no further sign-in for 8h"),
        ("?prompt=", "8h", "a browser that has signed in here needs no further sign-in for 8h"),
        (
            "?prompt=none", "8h",
            "a browser that has signed in here needs no further sign-in for 8h; for another the client gets login_required"
        ),
        (
            "?prompt=login", "8h",
            "a browser that has signed in here needs no further sign-in for 8h, but for this request people sign in again"
        ),
        (
            "?prompt=select_account", "8h",
            "a browser that has signed in here needs no further sign-in for 8h, but for this request people press a button"
        ),
        (
            "?max_age=60", "8h",
            "a browser that has signed in here needs no further sign-in for 8h, and for 60 s with this max_age"
        ),
        ("?max_age=x", "8h", "the client gets invalid_request: max_age is not a number of seconds"),
        ("?prompt=none%20login", "8h", "the client gets invalid_request: prompt combines none with other values"),
        ("", "off", "single sign-on is off: each client asks people to sign in"),
        (
            "?prompt=none", "off",
            "single sign-on is off: each client asks people to sign in, and prompt=none gets login_required"
        ),
    ])
    func singleSignOnIsExplained(_ query: String, _ rule: String, _ text: String) throws {
        #expect(try authorize(query, singleSignOn: rule) == [text])
    }

    @Test func clientOfAnAuthorizationRequestIsExplained() throws {
        #expect(try authorize("?client_id=mobile").last == "the client is public and needs PKCE")
        #expect(
            try authorize("?client_id=partner").last
                == "the client authenticates by client_secret_basic or client_secret_post and may do without PKCE"
        )
        #expect(
            try authorize("?client_id=other").last
                == "no client has this client_id: the browser gets a page that says so"
        )
        let report = try pipeline().report("/shop/id/oauth2/authorize?client_id=mobile")
        let lines = report.steps.filter { $0.step == "endpoint" }.map(\.line)
        #expect(lines.suffix(2) == [18, 21])
        // Another app may have taken the place of one with such a redirect URI.
        let query = "?client_id=mobile&redirect_uri=app:back"
        #expect(try authorize(query).first?.hasSuffix("but for this request people press a button") == true)
        #expect(report.decision == .forward)
    }

    @Test func tokenEndpointIsExplained() throws {
        #expect(
            notes(try pipeline().report("/shop/id/oauth2/token", method: "POST")) == [
                "a used refresh token is replaced, and its late use is only logged (refresh_rotation: log)",
                "clients authenticate: mobile by none, partner by client_secret_basic or client_secret_post",
                "clients that are told when a session of theirs ends: partner at partner.test (back-channel)",
                "hooks.test:8443 is told, if it comes to that: signed_in, revoked",
            ]
        )
    }

    @Test func logoutNamesWhoIsTold() throws {
        #expect(
            notes(try pipeline().report("/shop/id/oauth2/logout")) == [
                "clients that are told when a session of theirs ends: partner at partner.test (back-channel), mobile at "
                    + "app.test (front-channel)", "hooks.test:8443 is told, if it comes to that: signed_out",
            ]
        )
    }

    @Test func sendersOfSignalsAreNamed() throws {
        for path in ["signals", "backchannel-logout"] {
            let report = try pipeline().report("/shop/.gatehouse/\(path)", method: "POST")
            #expect(
                notes(report) == [
                    "clients that are told when a session of theirs ends: partner at partner.test (back-channel)",
                    "signals are taken at /shop/.gatehouse/signals, logout tokens at /shop/.gatehouse/backchannel-logout, "
                        + "from: https://risk.test as an entry of signals, https://old.test as a trusted issuer, "
                        + "https://accounts.google.com as the sign-in provider google",
                    "hooks.test:8443 is told, if it comes to that: revoked",
                ]
            )
        }
    }

    @Test func originOfSigningKeysIsExplained() throws {
        #expect(
            notes(try pipeline().report("/shop/id/oauth2/jwks.json")) == [
                "the issuer's keys are made by the gateway and kept in the store"
            ]
        )
    }

    @Test func refusalThatIsAnEventIsExplained() throws {
        let told = try pipeline(types: "[refused]").report("/shop/x")
        #expect(told.decision == .refuse(status: 401, code: "missing_token"))
        #expect(
            told.steps.filter { $0.step == "events" }.map(\.text) == [
                "hooks.test:8443 is told of refusals, once a second at most: refused"
            ]
        )
        #expect(try pipeline().report("/shop/x").steps.contains { $0.step == "events" } == false)
        #expect(try pipeline(types: "[refused]").report("/shop/open").steps.contains { $0.step == "events" } == false)
    }
}
