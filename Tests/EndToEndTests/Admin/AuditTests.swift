import Tenants
import Testing
import Verification

/// The audit line of each change through the admin API.
@Suite struct AuditTests {
    @Test func changeIsAuditedWithActorTargetAndResult() async throws {
        try await withGateway(.withAdminToken) { fixture async throws in
            fixture.keepSecret(GatewayFixture.adminToken)
            let body = #"{"tenant":"app","subject":"ali\nce","reason":"left the company"}"#
            let response = try await fixture.adminRequest(
                "POST",
                "/api/revocations",
                body: body,
                fields: GatewayFixture.adminBearer
            )
            #expect(response.status == 200)
            let line = try #require(fixture.audit("revoked").first)
            let id = try #require(response.fields["X-Request-Id"].first)
            for part in [
                "\"by\": token", "\"result\": done", "\"tenant\": app", "\"kind\": subject", #""id": ali\u000ace"#,
                "\"count\": 1", "\"reason\": left the company", "\"from\": 127.0.0.1", "\"request_id\": \(id)",
            ] {
                #expect(line.contains(part), "\(part) in \(line)")
            }
        }
    }

    @Test func refusedChangeIsAudited() async throws {
        try await withGateway { fixture async throws in
            let refused = [
                ("POST", "/api/revocations", #"{"tenant":"none","all":true}"#, "not revoked", "unknown_tenant"),
                ("DELETE", "/api/revocations", "{}", "revocation not withdrawn", "bad_request"),
                ("POST", "/api/keys", #"{"tenant":"app"}"#, "signing keys not rotated", "no_issuer"),
                ("DELETE", "/api/sessions", #"{"tenant":"app","subject":"a"}"#, "sessions not ended", "no_issuer"),
                ("POST", "/api/reload", #"{"force":true}"#, "configuration not reloaded", "bad_request"),
            ]
            for (method, path, body, message, code) in refused {
                let problem = AdminProblemDocument(try await fixture.adminRequest(method, path, body: body))
                #expect(problem?.code == code, "\(method) \(path)")
                let lines = fixture.audit(message)
                #expect(lines.count == 1, "\(message)")
                #expect(lines.first?.contains("\"result\": \(code)") == true, "\(lines)")
                #expect(lines.first?.contains("\"by\": loopback") == true, "\(lines)")
            }
        }
    }

    @Test func readIsNotAudited() async throws {
        try await withGateway { fixture async throws in
            _ = try await fixture.admin("/api/revocations?tenant=app")
            _ = try await fixture.admin("/api/tenants")
            _ = try await fixture.adminRequest("POST", "/api/keys", body: #"{"tenant":"app","dry_run":true}"#)
            #expect(!fixture.log.text.contains("request_id"))
        }
    }

    /// Browsers send a first request without a token.
    @Test func requestWithoutTokenIsNotAudited() async throws {
        try await withGateway(.withAdminToken) { fixture async throws in
            let body = #"{"tenant":"app","all":true}"#
            #expect(try await fixture.adminRequest("POST", "/api/revocations", body: body).status == 401)
            #expect(!fixture.log.text.contains("revoked"))
            #expect(!fixture.log.text.contains("not let in"))
        }
    }

    @Test func wrongTokenIsAudited() async throws {
        try await withGateway(.withAdminToken) { fixture async throws in
            let guess = ["Authorization: Bearer guessed"]
            #expect(try await fixture.adminRequest("GET", "/metrics", fields: guess).status == 401)
            let lines = fixture.log.text.split(separator: "\n").filter { $0.hasPrefix("warning not let in ") }
            #expect(lines.count == 1)
            let line = try #require(lines.first)
            for part in ["\"result\": invalid_token", "\"from\": 127.0.0.1", "\"request_id\""] {
                #expect(line.contains(part), "\(part) in \(line)")
            }
            #expect(!line.contains("guessed"))
        }
    }
}
