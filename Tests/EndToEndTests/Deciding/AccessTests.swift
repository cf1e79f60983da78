import Testing

/// Access rules over a connection; `AuthorizerTests` tests the rules themselves.
@Suite struct AccessTests {
    private static let rules = GatewaySetup(
        tenant: """
            access:
              - { path: /open/**, allow: anyone }
              - { path: /admin/**, allow: { roles: [admin, root] } }
              - { path: /reports/*/rows, allow: { scopes: [read, rows] } }
            """
    )

    @Test func accessRuleOfPathDecides() async throws {
        try await withGateway(Self.rules) { fixture async throws in
            let alice = try fixture.token(["role": "user", "scope": "read"])
            expectChallenge(try await fixture.request("/admin/x"), 401, "missing_token", error: nil)
            expectChallenge(
                try await fixture.request("/admin/x", token: alice),
                403,
                "insufficient_role",
                error: "insufficient_scope"
            )
            expectChallenge(
                try await fixture.request("/reports/1/rows", token: alice),
                403,
                "insufficient_scope",
                error: "insufficient_scope"
            )
            #expect(fixture.backend.requests.isEmpty)
            #expect(try await fixture.request("/elsewhere", token: alice).status == 200)
            let root = try fixture.token(["roles": ["x", "root"], "scope": "rows read"])
            #expect(try await fixture.request("/admin/x", token: root).status == 200)
            #expect(try await fixture.request("/reports/1/rows", token: root).status == 200)
        }
    }

    @Test func openPathIgnoresBadTokenAndUsesGoodOne() async throws {
        try await withGateway(Self.rules) { fixture async throws in
            let bad = [
                "x", try fixture.token(["exp": TestIssuer.fromNow(-3600)]),
                try fixture.token(algorithm: .rs256, key: fixture.issuer.stranger),
            ]
            for token in bad {
                #expect(try await fixture.request("/open/a", token: token).status == 200)
                #expect(try await fixture.backend.arrivals.next().fields["X-User-Id"] == [])
            }
            #expect(try await fixture.request("/open/a", token: try fixture.token()).status == 200)
            #expect(try await fixture.backend.arrivals.next().fields["X-User-Id"] == ["alice"])
        }
    }
}
