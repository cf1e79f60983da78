import Testing
import Verification

/// `mode: observe`: decisions are counted, nothing is refused.
@Suite struct ObserveModeTests {
    private static let observing = GatewaySetup(
        tenant: """
            mode: observe
            access:
              - { path: /open/**, allow: anyone }
              - { path: /admin/**, allow: { roles: [admin] } }
              - { path: /write/**, allow: { scopes: [write] } }
            """
    )

    @Test func unverifiedIdentityIsNeverInjected() async throws {
        try await withGateway(Self.observing) { fixture async throws in
            let unverified = [
                try fixture.token(["sub": "mallory"], algorithm: .rs256, key: fixture.issuer.stranger),
                try fixture.token(["sub": "mallory", "exp": TestIssuer.fromNow(-3600)]),
                try fixture.token(["sub": "mallory", "aud": "other"]),
            ]
            for token in unverified {
                _ = try await fixture.request("/x", token: token, fields: ["X-User-Id: mallory"])
                #expect(try await fixture.backend.arrivals.next().fields["X-User-Id"] == [])
            }
        }
    }

    @Test func observedAmbiguousPathPassesUnchanged() async throws {
        try await withGateway(Self.observing) { fixture async throws in
            #expect(try await fixture.request("/x/..%2fadmin?y=1").status == 200)
            #expect(try await fixture.backend.arrivals.next().target == "/x/..%2fadmin?y=1")
            #expect(try await fixture.accessLog.next()["outcome"] == "ambiguous_path")
        }
    }

    @Test func outcomeIsCodeOfObservedRefusal() async throws {
        try await withGateway(Self.observing) { fixture async throws in
            _ = try await fixture.request("/x")
            #expect(try await fixture.accessLog.next()["outcome"] == "missing_token")
            _ = try await fixture.request("/admin/x", token: try fixture.token())
            #expect(try await fixture.accessLog.next()["outcome"] == "insufficient_role")
            _ = try await fixture.request("/x", token: try fixture.token(["exp": TestIssuer.fromNow(-3600)]))
            #expect(try await fixture.accessLog.next()["outcome"] == "token_expired")
            let decisions = try await fixture.metrics { metrics in
                metrics.value("gatehouse_auth_decisions_total", ["tenant": "app", "outcome": "token_expired"]) == 1
            }
            for code in ["missing_token", "insufficient_role"] {
                #expect(decisions.value("gatehouse_auth_decisions_total", ["tenant": "app", "outcome": code]) == 1)
            }
            #expect(decisions.value("gatehouse_requests_total", ["tenant": "app", "status": "200"]) == 3)
        }
    }
}
