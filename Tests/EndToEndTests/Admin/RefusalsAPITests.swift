import Testing
import Verification

/// `GET /api/refusals`: the last refused requests.
@Suite struct RefusalsAPITests {
    private static let setup = GatewaySetup(
        gateway: "log: { query: true }",
        tenant: """
            access:
              - { path: /open/**, allow: anyone }
              - { path: /admin/**, allow: { roles: [admin] } }
              - { path: /tried/**, allow: { roles: [admin] }, mode: observe }
            """,
        others: """
            down:
              hosts: [down.test]
              backend: { servers: ["{nobody}"] }
              authenticate:
                from: [bearer]
                issuers: [ { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" } ]
              access: [ { path: /**, allow: anyone } ]
            """
    )
    private static let unlogged = GatewaySetup(
        gateway: "log: { access: false }",
        tenant: setup.tenant,
        others: setup.others
    )

    private func refusals(_ fixture: GatewayFixture, query: String = "") async throws -> [JSONObject] {
        try fixture.entries("refusals", try await fixture.admin("/api/refusals\(query)"))
    }

    private func lines(_ refusals: [JSONObject]) -> [String] {
        refusals.map { refusal in
            let members = ["tenant", "method", "path", "status", "code", "observed"].map { name in
                JSONWriter.text(of: refusal[name] ?? "?").replacing("\"", with: "")
            }
            return members.joined(separator: " ")
        }
    }

    private func refuse(_ fixture: GatewayFixture) async throws {
        let token = try fixture.token()
        _ = try await fixture.request("/x?token=in-a-query")
        _ = try await fixture.request("/admin/x", method: "POST", token: token, fields: ["Content-Length: 0"])
        _ = try await fixture.request("/open/x")
        _ = try await fixture.request("/tried/x", token: token)
        _ = try await fixture.request("/y", host: "nobody.test")
        _ = try await fixture.send("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
        _ = try await fixture.request("/late", host: "down.test")
    }

    @Test func refusedRequestsAreListedNewestFirst() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            try await refuse(fixture)
            let refusals = try await refusals(fixture)
            #expect(
                lines(refusals) == [
                    "down GET /late 503 backend_unavailable false", "null null null 400 bad_request false",
                    "null GET /y 404 unknown_host false", "app GET /tried/x 200 insufficient_role true",
                    "app POST /admin/x 403 insufficient_role false", "app GET /x 401 missing_token false",
                ]
            )
            #expect(refusals.allSatisfy { $0["client"] == "127.0.0.1" && $0["path_cut"] == false })
            #expect(refusals.last?["reason"] == "this path needs a token and none was sent")
            #expect(refusals.first?["reason"]?.string?.hasPrefix("no server of the app is reachable: ") == true)
        }
    }

    @Test func pathsOfDecisionsAreListedWithoutAccessLog() async throws {
        try await withGateway(Self.unlogged) { fixture async throws in
            try await refuse(fixture)
            #expect(
                lines(try await refusals(fixture)) == [
                    "down null null 503 backend_unavailable false", "null null null 400 bad_request false",
                    "null GET /y 404 unknown_host false", "app GET /tried/x 200 insufficient_role true",
                    "app POST /admin/x 403 insufficient_role false", "app GET /x 401 missing_token false",
                ]
            )
        }
    }

    @Test func requestIDIsThatOfResponse() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let response = try await fixture.request("/x")
            let problem = try #require(try JSONParser.parse(response.body.bytes).object)
            #expect(try await refusals(fixture).first?["request_id"] == problem["request_id"])
        }
    }

    @Test func onlyOneTenantIsListed() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            try await refuse(fixture)
            let refusals = try await refusals(fixture, query: "?tenant=down")
            #expect(lines(refusals) == ["down GET /late 503 backend_unavailable false"])
            let unknown = try await fixture.admin("/api/refusals?tenant=nobody")
            #expect(AdminProblemDocument(unknown)?.code == "unknown_tenant")
        }
    }

    @Test func decisionQueryIsListedWithRequestInQuestion() async throws {
        let trusting = GatewaySetup(gateway: "trusted_proxies: [127.0.0.1/32]\nlog: { access: false }")
        try await withGateway(trusting) { fixture async throws in
            let asked = [
                "X-Forwarded-Host: app.test", "X-Forwarded-Method: PUT", "X-Forwarded-Uri: /asked?token=in-a-query",
                "X-Forwarded-For: 192.0.2.9",
            ]
            _ = try await fixture.request("/.gatehouse/auth", host: "proxy.test", fields: asked)
            let refusals = try await refusals(fixture)
            #expect(lines(refusals) == ["app PUT /asked 401 missing_token false"])
            #expect(refusals.first?["client"] == "192.0.2.9")
        }
    }
}
