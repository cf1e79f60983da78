import TestSupport
import Testing
import UpstreamTestSupport

@testable import Gateway
@testable import Tenants

/// What explanations say of tokens of a former issuer, whose sessions become the tenant's own.
struct AdoptionExplanationTests {
    private static let text = """
        version: 1
        tenants:
          app:
            hosts: [app.test]
            backend: { servers: ["http://127.0.0.1:9001"] }
            authenticate:
              from: FROM
              issuers:
                - { preset: built-in }
                - issuer: "https://issuer.test"
                  algorithms: [HS256]
                  secret: a secret of these tests that is long enough for HS256
            issuer: { url: "https://own.test", audience: app, algorithm: ES256 }
            refresh:
              adopt: ["https://issuer.test"]
              call: { send: built_in }
              from: "cookie:refresh"
              deliver: DELIVER
        """

    @Test(arguments: [
        (
            "[bearer]", "{ header: X-T, cookies: { refresh: /refresh_token } }",
            "in the field X-T (and in the cookie refresh, if the request has one)"
        ),
        (
            "[bearer, 'cookie:access']", "{ header: X-T, cookies: { access: /access_token, refresh: /refresh_token } }",
            "in the field X-T (and in the cookie refresh, if the request has one) or in the cookies access, refresh for a "
                + "token in a cookie"
        ),
        (
            "['cookie:access']", "{ cookies: { access: /access_token, refresh: /refresh_token } }",
            "in the cookies access, refresh for a token in a cookie"
        ),
    ]) func waysOfTheNewTokensAreExplained(from: String, deliver: String, ways: String) throws {
        let text = Self.text.replacing("FROM", with: from).replacing("DELIVER", with: deliver)
        let result = TenantsFile.read(text: Array(text.utf8), path: "f", environment: [:], files: DiskFiles())
        let configuration = try #require(result.configuration, "\(result.diagnostics)")
        let pipeline = ExplainPipeline(try #require(configuration.tenants.first), gateway: configuration.gateway)
        let report = try pipeline.report("/x", token: try SampleTenant.token(["sid": "s"]))
        #expect(report.decision == .forward)
        #expect(
            report.steps.map(\.text).contains(
                "its issuer is a former one: the first request with a token of its session gets a session of "
                    + "https://own.test with the response, \(ways); that is not tried here"
            ),
            "\(report.steps)"
        )
    }
}
