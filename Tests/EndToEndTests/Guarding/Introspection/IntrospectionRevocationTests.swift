import Testing
import Verification

/// Opaque tokens revoked at the gateway, which takes precedence over their server.
@Suite struct IntrospectionRevocationTests {
    private static let token = "opaque-2YotnFZFEjr1zCsicMWpAA"

    private func withPipeline(_ test: (GatewayFixture, IntrospectionBackend) async throws -> Void) async throws {
        let tenant = "revoke_on: [\"POST /logout\"]"
        try await withIntrospection(tenant: tenant) { fixture, stub, _ async throws in
            fixture.keepSecret(Self.token)
            stub.activate(Self.token, ["sid": "s1", "jti": "t1", "iat": TestIssuer.fromNow(-5)])
            stub.activate(fixture.keepSecret("opaque-of-the-same-session"), ["sid": "s1", "jti": "t2"])
            stub.activate(fixture.keepSecret("opaque-of-another-session"), ["sid": "s2", "jti": "t3"])
            #expect(try await fixture.request("/x", token: Self.token).status == 200)
            try await test(fixture, stub)
        }
    }

    @Test func signOutEndsTokenAndSession() async throws {
        try await withPipeline { fixture, stub async throws in
            #expect(try await fixture.request("/logout", method: "POST", token: Self.token).status == 200)
            expectRefusal(try await fixture.request("/x", token: Self.token), 401, "token_revoked")
            expectRefusal(try await fixture.request("/x", token: "opaque-of-the-same-session"), 401, "token_revoked")
            #expect(try await fixture.request("/x", token: "opaque-of-another-session").status == 200)
            #expect(stub.asked.count == 3)
        }
    }

    @Test(arguments: [
        #""token":"opaque-2YotnFZFEjr1zCsicMWpAA""#, #""jti":"t1""#, #""session":"s1""#, #""subject":"alice""#,
        #""all":true"#,
    ])
    func adminRevocationAppliesAtOnce(selector: String) async throws {
        try await withPipeline { fixture, _ async throws in
            let body = #"{"tenant":"app",\#(selector)}"#
            let response = try await fixture.revocations("POST", body: body)
            #expect(response.status == 200)
            #expect(!response.body.text.contains(Self.token))
            expectRefusal(try await fixture.request("/x", token: Self.token), 401, "token_revoked")
            #expect(try await fixture.revocations("DELETE", body: body).status == 200)
            #expect(try await fixture.request("/x", token: Self.token).status == 200)
        }
    }

    /// It was never presented, and its server is not queried.
    @Test func unseenTokenCanBeRevoked() async throws {
        try await withPipeline { fixture, stub async throws in
            let body = #"{"tenant":"app","token":"opaque-of-another-session"}"#
            #expect(try await fixture.revocations("POST", body: body).status == 200)
            #expect(stub.asked == [Self.token])
            expectRefusal(try await fixture.request("/x", token: "opaque-of-another-session"), 401, "token_revoked")
        }
    }
}
