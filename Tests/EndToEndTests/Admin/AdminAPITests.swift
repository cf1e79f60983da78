import Tenants
import Testing
import Verification

/// Rules for every path of the admin API.
@Suite struct AdminAPITests {
    /// The methods of each path that the API describes.
    private func described(_ fixture: GatewayFixture) async throws -> [(path: String, methods: [String])] {
        let response = try await fixture.adminRequest("GET", "/openapi.json")
        guard response.status == 200, let document = try JSONParser.parse(response.body.bytes).object else {
            throw Malformed("\(response.status)")
        }
        #expect(document["openapi"] == "3.1.1")
        return (document["paths"]?.object?.members ?? []).map { path in
            let members = path.value.object?.members ?? []
            return (path.name, members.map(\.name).filter { $0 != "parameters" }.map { $0.uppercased() })
        }
    }

    @Test func everyDescribedPathExists() async throws {
        try await withGateway { fixture async throws in
            let paths = try await described(fixture)
            #expect(paths.count > 8)
            for (path, methods) in paths {
                // Without a body, so that nothing changes.
                for method in methods where path != "/api/events" {
                    let status = try await fixture.adminRequest(method, path).status
                    #expect(status != 404 && status != 405, "\(method) \(path)")
                }
            }
        }
    }

    @Test func wrongMethodGetsAllow() async throws {
        try await withGateway { fixture async throws in
            for (path, methods) in try await described(fixture) {
                for method in ["PUT", "PATCH", "OPTIONS", "TRACE"] where !methods.contains(method) {
                    let response = try await fixture.adminRequest(method, path)
                    #expect(AdminProblemDocument(response)?.code == "method_not_allowed", "\(method) \(path)")
                    #expect(response.status == 405)
                    #expect(response.fields["Allow"] == [methods.joined(separator: ", ")], "\(method) \(path)")
                }
            }
        }
    }

    @Test func unknownPathIsProblem() async throws {
        try await withGateway { fixture async throws in
            for path in ["/nothing-here", "/api", "/api/tenants/app/backend", "/API/tenants"] {
                let problem = AdminProblemDocument(try await fixture.admin(path))
                #expect(problem?.status == 404 && problem?.code == "not_found", "\(path)")
            }
        }
    }

    /// An unauthenticated client learns nothing about existing paths.
    @Test func everyPathIsTheSameWithoutToken() async throws {
        try await withGateway(.withAdminToken) { fixture async throws in
            fixture.keepSecret(GatewayFixture.adminToken)
            for path in ["/openapi.json", "/api/tenants", "/api/reload", "/nothing-here"] {
                for method in ["GET", "POST", "DELETE", "PUT"] {
                    let problem = AdminProblemDocument(try await fixture.adminRequest(method, path))
                    #expect(problem?.code == "missing_token", "\(method) \(path)")
                }
            }
            #expect(
                try await fixture.adminRequest("GET", "/openapi.json", fields: GatewayFixture.adminBearer).status == 200
            )
        }
    }

    @Test func everyResponseHasUniqueID() async throws {
        try await withGateway { fixture async throws in
            var seen: Set<String> = []
            for path in ["/healthz", "/api/tenants", "/nothing-here"] {
                let response = try await fixture.admin(path)
                let id = try #require(response.fields["X-Request-Id"].first)
                #expect(id.count == 36)
                seen.insert(id)
                guard response.status == 404 else { continue }
                #expect(try JSONParser.parse(response.body.bytes).object?["request_id"]?.string == id)
            }
            #expect(seen.count == 3)
        }
    }

    @Test func headResponseHasNoBody() async throws {
        try await withGateway { fixture async throws in
            for path in ["/healthz", "/metrics", "/api/tenants"] {
                let response = try await fixture.adminRequest("HEAD", path)
                #expect(response.status == 200, "\(path)")
                #expect(response.body.bytes.isEmpty, "\(path)")
            }
        }
    }

    @Test func unknownParametersAreRefused() async throws {
        try await withGateway { fixture async throws in
            for (method, path) in [
                ("GET", "/api/keys?tenant=app&x=1"), ("POST", "/api/keys?tenant=app"), ("POST", "/api/reload?force=1"),
                ("GET", "/api/revocations?tenant=app&tenant=app"), ("DELETE", "/api/sessions?tenant=app"),
                ("GET", "/api/sessions?tenant=%zz"),
            ] {
                let problem = AdminProblemDocument(try await fixture.adminRequest(method, path))
                #expect(problem?.code == "bad_request", "\(method) \(path)")
            }
        }
    }
}
