import Tenants
import TestSupport
import Testing
import Verification

/// Admin tokens that may do a part.
@Suite struct AdminTokensTests {
    private static let reader = "the-token-of-a-desk-that-reads"
    private static let revoker = "the-token-of-a-desk-that-revokes"
    private static let team = "the-token-of-a-team-with-tenants"

    private static let setup = GatewaySetup(
        gateway: """
            admin:
                address: "127.0.0.1:0"
                token: "\(GatewayFixture.adminToken)"
                tokens:
                  - { name: desk, token: \(reader), allow: [read] }
                  - { name: support, token: \(revoker), allow: [revoke] }
                  - { name: team, token: \(team), allow: ["tenants:shop-*"] }
            """
    )

    private func status(_ fixture: GatewayFixture, _ method: String, _ path: String, _ token: String) async throws
        -> Int
    {
        let body = method == "GET" ? nil : #"{"tenant":"app","subject":"alice"}"#
        let bearer = ["Authorization: Bearer \(token)"]
        return try await fixture.adminRequest(method, path, body: body, fields: bearer).status
    }

    @Test func tokenMayWhatItsScopesAllow() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            for (method, path, reads, revokes, owns) in [
                ("GET", "/api/tenants", 200, 403, 200), ("GET", "/metrics", 200, 403, 403),
                ("HEAD", "/api/reloads", 200, 403, 403), ("GET", "/openapi.json", 200, 200, 200),
                ("GET", "/api/revocations?tenant=app", 200, 200, 403), ("POST", "/api/revocations", 403, 200, 403),
                ("DELETE", "/api/revocations", 403, 200, 403), ("POST", "/api/reload", 403, 403, 403),
                ("POST", "/api/keys", 403, 403, 403), ("GET", "/healthz", 200, 200, 200),
                ("GET", "/none", 404, 404, 404),
            ] {
                #expect(try await status(fixture, method, path, Self.reader) == reads, "\(method) \(path)")
                #expect(try await status(fixture, method, path, Self.revoker) == revokes, "\(method) \(path)")
                #expect(try await status(fixture, method, path, Self.team) == owns, "\(method) \(path)")
            }
            #expect(try await status(fixture, "GET", "/api/tenants", GatewayFixture.adminToken) == 200)
            #expect(try await status(fixture, "GET", "/api/tenants", "another-token") == 401)
        }
    }

    @Test func refusalSaysWhatIsNeeded() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let bearer = ["Authorization: Bearer \(Self.team)"]
            let response = try await fixture.adminRequest("POST", "/api/reload", fields: bearer)
            let problem = try #require(AdminProblemDocument(response))
            #expect(problem.status == 403 && problem.code == "insufficient_scope")
            #expect(
                problem.detail
                    == "token team has tenants:shop-*, but this needs all: use another token of gateway.admin, "
                    + "or allow it there"
            )
            #expect(response.fields["WWW-Authenticate"] == ["Bearer realm=\"admin\", error=\"insufficient_scope\""])
            let line = try #require(
                fixture.log.text.split(separator: "\n").first { $0.hasPrefix("warning not let in ") }
            )
            #expect(line.contains("\"by\": token team") && line.contains("\"result\": insufficient_scope"))
            #expect(!line.contains(Self.team))
        }
    }

    @Test func auditNamesTheToken() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            fixture.keepSecret(Self.revoker)
            #expect(try await status(fixture, "POST", "/api/revocations", Self.revoker) == 200)
            #expect(try #require(fixture.audit("revoked").first).contains("\"by\": token support"))
        }
    }

    @Test func missingTokenIs401WhenOnlyNamedOnesAreThere() async throws {
        let setup = GatewaySetup(
            gateway: "admin: { address: \"127.0.0.1:0\", tokens: [{ name: a, token: \(Self.reader), allow: [read] }] }"
        )
        try await withGateway(setup) { fixture async throws in
            #expect(try await fixture.adminRequest("GET", "/api/tenants").status == 401)
            #expect(try await status(fixture, "GET", "/api/tenants", Self.reader) == 200)
        }
    }
}
