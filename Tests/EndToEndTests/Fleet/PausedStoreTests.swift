import TestSupport
import Testing
import Verification

/// Redis hangs: its sockets stay open without responses.
@Suite struct PausedStoreTests {
    private static let setup = GatewaySetup(
        tenant: "max_staleness: 3s",
        others: """
            lax:
              hosts: [lax.test]
              backend: { servers: ["{backend}"] }
              max_staleness: 3s
              on_store_failure: allow
              authenticate:
                issuers: [ { issuer: "https://secret.test", algorithms: [HS256], secret: "${TEST_SECRET}" } ]
            """
    )

    @Test func hangingRedisAppliesStalenessPolicyOfEachTenant() async throws {
        try await RedisServer.run { server in
            try await withInstances(Self.setup) { fleet in
                let (first, second) = (try await fleet.start(server.url), try await fleet.start(server.url))
                let (good, revoked) = (try fleet.token(["sub": "good"]), try fleet.token(["sub": "revoked"]))
                for tenant in ["app", "lax"] {
                    try await expectRevoked(["subject": "revoked"], by: second, tenant: tenant)
                }
                for host in ["app.test", "lax.test"] { try await first.awaitRefusal(of: revoked, host: host) }
                server.process.pause()
                for instance in [first, second] { try await Self.expectStale(instance, good: good, revoked: revoked) }
                server.process.resume()
                for instance in [first, second] {
                    try await until("requests pass again") { try await instance.request(token: good).status == 200 }
                    #expect(try await instance.refuses(revoked))
                }
                try await CrashTests.expectRevokingWorks(by: first, at: second, fleet)
            }
        }
    }

    private static func expectStale(_ instance: Instance, good: String, revoked: String) async throws {
        let refused = try await instance.revoke(["subject": "too-late"])
        #expect(refused.status == 503)
        #expect(AdminProblemDocument(refused)?.code == "store_unavailable")
        try await until("the copy is too old") { try await instance.request(token: good).status == 503 }
        let response = try await instance.request(token: good)
        expectRefusal(response, 503, "store_unavailable")
        // It stays ready for the other tenant and for open paths, and says for whom it is not.
        let readiness = try await instance.readiness()
        #expect(readiness.status == 200)
        #expect(readiness.body.text.hasPrefix("ready; callers get 503 at app: the revocations are "))
        #expect(readiness.body.text.hasSuffix(" s old, older than max_staleness, and on_store_failure is deny\n"))
        #expect(response.fields["Retry-After"].first.flatMap { Int($0) }.map { $0 > 0 } == true)
        #expect(try await instance.request("/open/x", token: good).status == 200)
        #expect(try await instance.request("/open/x").status == 200)
        // The lax tenant uses the stale replica and refuses what it revokes.
        #expect(try await !instance.refuses(good, host: "lax.test"))
        #expect(try await instance.refuses(revoked, host: "lax.test"))
        #expect(try await instance.refuses(revoked))
    }
}
