import Testing
import Verification

/// `POST /api/explain` of a running gateway.
@Suite struct ExplainAPITests {
    private static let ruled = GatewaySetup(
        tenant: """
            access:
              - { path: /open/**, allow: anyone }
              - { path: /admin/**, allow: { roles: [admin] } }
            rate_limits: [{ by: subject, rate: 1/h, burst: 1 }]
            """
    )

    @Test func explanationEndsWithDecisionAndHasNoSideEffects() async throws {
        try await withGateway(Self.ruled) { fixture async throws in
            let token = try fixture.token(["role": "customer"])
            let question: JSONObject = ["tenant": "app", "method": "GET", "path": "/admin/x", "token": .string(token)]
            for _ in 0..<3 {
                let (steps, decision, response) = try await fixture.explained(question)
                #expect(decision == "refuse 403 insufficient_role")
                #expect(steps.last == decision)
                #expect(response["status"]?.double == 403 && response["code"]?.string == "insufficient_role")
                #expect(!steps.joined().contains(token))
            }
            var allowed = question
            allowed["path"] = "/x"
            for _ in 0..<3 { #expect(try await fixture.explained(allowed).decision == "forward") }
            #expect(fixture.backend.requests.isEmpty)
            // The hourly allowance is unused.
            #expect(try await fixture.request("/x", token: token).status == 200)
            #expect(try await fixture.request("/x", token: token).status == 429)
            #expect(try await fixture.explained(allowed).decision == "refuse 429 rate_limited")
            let metrics = try await fixture.metrics()
            #expect(metrics.value("gatehouse_auth_decisions_total", ["tenant": "app", "outcome": "granted"]) == 1)
        }
    }

    @Test func explanationKnowsRevocations() async throws {
        try await withGateway { fixture async throws in
            let token = try fixture.token(["jti": "t1"], algorithm: .es256)
            let question: JSONObject = ["tenant": "app", "method": "GET", "path": "/x", "token": .string(token)]
            #expect(try await fixture.explained(question).decision == "forward")
            _ = try await fixture.revocations("POST", body: #"{"tenant":"app","jti":"t1"}"#)
            #expect(try await fixture.explained(question).decision == "refuse 401 token_revoked")
        }
    }

    @Test func explanationRequiresAdminToken() async throws {
        let locked = GatewaySetup.withAdminToken
        try await withGateway(locked) { fixture async throws in
            fixture.keepSecret(GatewayFixture.adminToken)
            let body = #"{"tenant":"app","method":"GET","path":"/"}"#
            #expect(try await fixture.explain(body).status == 401)
            #expect(try await fixture.explain(body, fields: GatewayFixture.adminBearer).status == 200)
        }
    }
}
