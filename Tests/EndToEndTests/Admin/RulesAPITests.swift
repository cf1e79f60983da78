import Testing
import Verification

/// `GET /api/rules`: a tenant's access rules with their use.
@Suite struct RulesAPITests {
    private static func setup(_ rules: [String]) -> GatewaySetup {
        GatewaySetup(
            gateway: "threads: 2",
            tenant: "access:\n" + rules.map { "  - \($0)\n" }.joined()
        )
    }

    /// `path hits` for each rule, last the default.
    private func hits(_ fixture: GatewayFixture) async throws -> [String] {
        let response = try await fixture.admin("/api/rules?tenant=app")
        let rules = try fixture.entries("rules", response)
        let rest = try JSONParser.parse(response.body.bytes).object?["default"]?.object
        return (rules + [rest ?? [:]]).map { rule in
            "\(rule["path"]?.string ?? "default") \(Int(rule["hits"]?.double ?? -1))"
        }
    }

    @Test func hitsOfAllLoopsAreCountedOverReloads() async throws {
        let (open, dead) = ("{ path: /open/**, allow: anyone }", "{ path: /dead, allow: anyone }")
        try await withGateway(Self.setup([open, dead])) { fixture async throws in
            // Each on a connection of its own, of either loop.
            for _ in 0..<8 { _ = try await fixture.request("/open/x") }
            for _ in 0..<3 { _ = try await fixture.request("/other") }
            #expect(try await hits(fixture) == ["/open/** 8", "/dead 0", "default 3"])
            await fixture.change(Self.setup(["{ path: /new, allow: { roles: [admin] } }", dead, open]))
            _ = try await fixture.request("/new")
            _ = try await fixture.request("/open/x")
            #expect(try await hits(fixture) == ["/new 1", "/dead 0", "/open/** 9", "default 3"])
            let rules = try fixture.entries("rules", try await fixture.admin("/api/rules?tenant=app"))
            let since = rules.compactMap { $0["since"]?.string }
            #expect(since.count == 3 && since[0] > since[1] && since[1] == since[2])
        }
    }

    @Test func explanationIsNoHit() async throws {
        try await withGateway { fixture async throws in
            let body = "{\"tenant\":\"app\",\"method\":\"GET\",\"path\":\"/open/x\"}"
            #expect(try await fixture.adminRequest("POST", "/api/explain", body: body).status == 200)
            #expect(try await hits(fixture) == ["/open/** 0", "default 0"])
        }
    }

    @Test func tenantIsNeededAndKnown() async throws {
        try await withGateway { fixture async throws in
            for (query, code) in [("", "bad_request"), ("?tenant=App", "unknown_tenant"), ("?name=app", "bad_request")]
            {
                #expect(AdminProblemDocument(try await fixture.admin("/api/rules\(query)"))?.code == code)
            }
        }
    }
}
