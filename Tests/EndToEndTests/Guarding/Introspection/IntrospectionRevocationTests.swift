import Testing
import Verification

/// Opaque tokens that are revoked at the gateway, which is believed before their server.
@Suite struct IntrospectionRevocationTests {
    private static let token = "opaque-2YotnFZFEjr1zCsicMWpAA"

    private func withPipeline(_ visit: (GatewayFixture, IntrospectionBackend) async throws -> Void) async throws {
        let tenant = "revoke_on: [\"POST /logout\"]"
        try await withIntrospection(tenant: tenant) { fixture, stub, _ async throws in
            fixture.keepSecret(Self.token)
            stub.activate(Self.token, ["sid": "s1", "jti": "t1", "iat": TestIssuer.fromNow(-5)])
            stub.activate(fixture.keepSecret("opaque-of-the-same-session"), ["sid": "s1", "jti": "t2"])
            stub.activate(fixture.keepSecret("opaque-of-another-session"), ["sid": "s2", "jti": "t3"])
            #expect(try await fixture.request("/x", token: Self.token).status == 200)
            try await visit(fixture, stub)
        }
    }

    @Test func aSignOutEndsTheTokenAndItsSession() async throws {
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
    func theAdminRevokesAtOnce(selector: String) async throws {
        try await withPipeline { fixture, _ async throws in
            let body = #"{"tenant":"app",\#(selector)}"#
            let answer = try await fixture.revocations("POST", body: body)
            #expect(answer.status == 200)
            #expect(!answer.body.text.contains(Self.token))
            expectRefusal(try await fixture.request("/x", token: Self.token), 401, "token_revoked")
            #expect(try await fixture.revocations("DELETE", body: body).status == 200)
            #expect(try await fixture.request("/x", token: Self.token).status == 200)
        }
    }

    /// Nobody has shown it yet, and its server is not asked.
    @Test func aTokenIsRevokedBeforeItIsSeen() async throws {
        try await withPipeline { fixture, stub async throws in
            let body = #"{"tenant":"app","token":"opaque-of-another-session"}"#
            #expect(try await fixture.revocations("POST", body: body).status == 200)
            #expect(stub.asked == [Self.token])
            expectRefusal(try await fixture.request("/x", token: "opaque-of-another-session"), 401, "token_revoked")
        }
    }
}
