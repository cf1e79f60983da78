import Testing
import Verification

/// Who may do what: the first rule that matches decides; without one a good token is needed.
@Suite struct AccessTests {
    private static let rules = GatewaySetup(
        tenant: """
            access:
              - { path: /health, allow: anyone }
              - { path: /open/**, allow: anyone }
              - { path: /admin/**, methods: [GET, HEAD], allow: { roles: [admin, root] } }
              - { path: /admin/**, allow: { roles: [root] } }
              - { path: /reports/*/rows, allow: { scopes: [read, rows] } }
              - { path: /both, allow: { roles: [admin], scopes: [write] } }
            """
    )

    @Test func anExactPathIsThatPathAlone() async throws {
        try await withGateway(Self.rules) { fixture async throws in
            #expect(try await fixture.request("/health").status == 200)
            for path in ["/health/", "/health/x", "/healthy", "/Health"] {
                expectRefusal(try await fixture.request(path), 401, "missing_token", path)
            }
        }
    }

    @Test func twoStarsStandForThePathAndAllBelowIt() async throws {
        try await withGateway(Self.rules) { fixture async throws in
            for path in ["/open", "/open/", "/open/a", "/open/a/b/c"] {
                #expect(try await fixture.request(path).status == 200, "\(path)")
            }
            #expect(try await fixture.request("/opened").status == 401)
        }
    }

    @Test func oneStarStandsForOneSegment() async throws {
        try await withGateway(Self.rules) { fixture async throws in
            let reader = try fixture.token(["scope": "read"])
            for path in ["/reports/7/rows", "/reports/a.b/rows"] {
                expectRefusal(try await fixture.request(path, token: reader), 403, "insufficient_scope", path)
            }
            for path in ["/reports/rows", "/reports/7/8/rows", "/reports/7/rows/1"] {
                #expect(try await fixture.request(path, token: reader).status == 200, "\(path)")
            }
        }
    }

    @Test func theFirstRuleThatMatchesDecides() async throws {
        try await withGateway(Self.rules) { fixture async throws in
            let admin = try fixture.token(["role": "admin"])
            #expect(try await fixture.request("/admin/x", token: admin).status == 200)
            #expect(try await fixture.request("/admin/x", method: "HEAD", token: admin).status == 200)
            for method in ["POST", "DELETE", "get", "PROPFIND"] {
                let response = try await fixture.request("/admin/x", method: method, token: admin)
                expectRefusal(response, 403, "insufficient_role", method)
            }
        }
    }

    @Test func anyOfTheRolesIsEnough() async throws {
        try await withGateway(Self.rules) { fixture async throws in
            let good: [JSONObject] = [
                ["role": "admin"], ["role": "root"], ["roles": ["x", "root"]], ["role": ["admin"]], ["roles": "admin"],
            ]
            for claims in good {
                #expect(try await fixture.request("/admin/x", token: try fixture.token(claims)).status == 200)
            }
        }
    }

    @Test func withoutOneOfTheRolesItIsForbidden() async throws {
        try await withGateway(Self.rules) { fixture async throws in
            let bad: [JSONObject] = [
                [:], ["role": "user"], ["role": "Admin"], ["roles": ["user"]], ["role": "admin,root"], ["roles": []],
                ["role": true], ["role": ["admin": true]], ["scope": "admin"], ["role": nil], ["role": " admin"],
            ]
            for claims in bad {
                let response = try await fixture.request("/admin/x", token: try fixture.token(claims))
                expectChallenge(response, 403, "insufficient_role", error: "insufficient_scope")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func allOfTheScopesAreNeeded() async throws {
        try await withGateway(Self.rules) { fixture async throws in
            let good: [JSONObject] = [["scope": "rows read"], ["scope": ["read", "rows"]], ["scope": "a read b rows"]]
            for claims in good {
                #expect(try await fixture.request("/reports/1/rows", token: try fixture.token(claims)).status == 200)
            }
            let bad: [JSONObject] = [
                [:], ["scope": "read"], ["scope": "readrows"], ["scope": ["read rows"]], ["scope": "READ ROWS"],
                ["role": "read"],
            ]
            for claims in bad {
                let response = try await fixture.request("/reports/1/rows", token: try fixture.token(claims))
                expectChallenge(response, 403, "insufficient_scope", error: "insufficient_scope")
            }
        }
    }

    @Test func rolesAreJudgedBeforeScopes() async throws {
        try await withGateway(Self.rules) { fixture async throws in
            let cases: [(JSONObject, Int, String?)] = [
                ([:], 403, "insufficient_role"), (["scope": "write"], 403, "insufficient_role"),
                (["role": "admin"], 403, "insufficient_scope"), (["role": "admin", "scope": "write"], 200, nil),
            ]
            for (claims, status, code) in cases {
                let response = try await fixture.request("/both", token: try fixture.token(claims))
                #expect(response.status == status)
                #expect(Problem(response)?.code == code)
            }
        }
    }

    @Test func aGuardedPathAsksForATokenBeforeItAsksForARole() async throws {
        try await withGateway(Self.rules) { fixture async throws in
            expectChallenge(try await fixture.request("/admin/x"), 401, "missing_token", error: nil)
            let expired = try fixture.token(["exp": TestIssuer.fromNow(-999), "role": "user"])
            expectRefusal(try await fixture.request("/admin/x", token: expired), 401, "token_expired")
        }
    }

    @Test func withoutARuleAGoodTokenIsEnough() async throws {
        try await withGateway(Self.rules) { fixture async throws in
            #expect(try await fixture.request("/elsewhere", token: try fixture.token()).status == 200)
            expectRefusal(try await fixture.request("/elsewhere"), 401, "missing_token")
        }
    }

    @Test func onAnOpenPathABadTokenIsIgnored() async throws {
        try await withGateway(Self.rules) { fixture async throws in
            let bad = [
                "x", try fixture.token(["exp": TestIssuer.fromNow(-3600)]),
                try fixture.token(algorithm: .rs256, key: fixture.issuer.stranger),
            ]
            for token in bad {
                #expect(try await fixture.request("/open/a", token: token).status == 200)
                #expect(try await fixture.backend.arrivals.next().fields["X-User-Id"] == [])
            }
        }
    }

    @Test func onAnOpenPathAGoodTokenStillTellsWhoItIs() async throws {
        try await withGateway(Self.rules) { fixture async throws in
            #expect(try await fixture.request("/open/a", token: try fixture.token()).status == 200)
            #expect(try await fixture.backend.arrivals.next().fields["X-User-Id"] == ["alice"])
        }
    }

    @Test func aRefusedRequestWithABodyDoesNotSpoilTheConnection() async throws {
        try await withGateway(Self.rules) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send("POST /x HTTP/1.1\r\nHost: app.test\r\nContent-Length: 5\r\n\r\nhello")
            let refused = try await client.response()
            expectRefusal(refused, 401, "missing_token")
            guard !refused.fields.list("Connection").contains("close") else { return }
            try await client.send(fixture.head("/open/a"))
            #expect(try await client.response().status == 200)
        }
    }
}
