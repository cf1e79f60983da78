import Testing
import Verification

/// Observed refusals are counted and, sampled, logged.
@Suite struct ObservedRuleTests {
    private static let mixed = GatewaySetup(
        tenant: """
            access:
              - { path: /soon/**, allow: { roles: [admin] }, mode: observe }
              - { path: /admin/**, allow: { roles: [admin] } }
            """
    )

    @Test func rulesAreObservedIndividually() async throws {
        try await withGateway(Self.mixed) { fixture async throws in
            let token = try fixture.token(["role": "customer"])
            #expect(try await fixture.request("/soon/x?a=secret-of-a-query", token: token).status == 200)
            #expect(try await fixture.backend.arrivals.next().fields["X-User-Id"] == ["alice"])
            #expect(try await fixture.request("/soon/x").status == 200)
            expectRefusal(try await fixture.request("/admin/x", token: token), 403, "insufficient_role")
            #expect(try await fixture.accessLog.next()["outcome"] == "insufficient_role")
            let name = "gatehouse_would_refuse_total"
            let metrics = try await fixture.metrics { metrics in
                metrics.value(name, ["tenant": "app", "code": "missing_token"]) == 1
            }
            #expect(metrics.value(name, ["tenant": "app", "code": "insufficient_role"]) == 1)
            fixture.keepSecret("secret-of-a-query")
            let lines = fixture.log.text.split(separator: "\n").filter { $0.contains("notice would be refused") }
            #expect(lines.count == 2)
            let first = try #require(lines.first { $0.contains("insufficient_role") })
            for part in [
                "\"tenant\": app", "\"path\": /soon/x", "\"method\": GET", "\"subject\": alice", "request_id",
            ] {
                #expect(first.contains(part), "\(first)")
            }
        }
    }
}
