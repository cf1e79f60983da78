import Testing
import Verification

/// Token sources: bearer, cookie, query or header, in the order of `from`; `TokenFinderTests` has every place of each.
@Suite struct TokenSourceTests {
    private static let setup = GatewaySetup(
        tenant: """
            authenticate:
              from: ["header:X-Token", "cookie:session", "query:token"]
              issuers: [ \(TestIssuer.entry) ]
            """
    )

    @Test func firstSourceWithGoodTokenDecides() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let alice = try fixture.token()
            let bob = try fixture.token(["sub": "bob", "exp": TestIssuer.fromNow(-3600)])
            let requests: [(String, [String])] = [
                ("/x", ["x-token: \(alice)", "Cookie: session=\(bob)"]),
                ("/x?token=\(bob)", ["Cookie: a=b", "Cookie: c=d; session=\(alice)"]), ("/x?a=b&token=\(alice)", []),
            ]
            for (target, fields) in requests {
                #expect(try await fixture.request(target, fields: fields).status == 200)
                #expect(try await fixture.backend.arrivals.next().fields["X-User-Id"] == ["alice"])
            }
            expectRefusal(try await fixture.request("/x", token: alice), 401, "missing_token")
        }
    }

    @Test func staleTokenIsPassedOverAndKeptFromTheBackend() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let expired = try fixture.token(["exp": TestIssuer.fromNow(-3600)])
            let good = try fixture.token()
            let fields = ["X-Token: \(expired)", "Cookie: a=b; session=\(good)", "X-Own: 1"]
            #expect(try await fixture.request("/x?token=x&c=d", fields: fields).status == 200)
            let arrived = try await fixture.backend.arrivals.next()
            #expect(arrived.fields["X-User-Id"] == ["alice"])
            #expect(arrived.fields["X-Token"] == [])
            #expect(arrived.fields["Cookie"] == ["a=b; session=\(good)"])
            #expect(arrived.fields["X-Own"] == ["1"])
            #expect(arrived.target == "/x?c=d")
            let metrics = try await fixture.metrics()
            #expect(metrics.value("gatehouse_stale_tokens_total", ["tenant": "app"]) == 1)
        }
    }

    @Test func goodTokensOfTwoSubjectsAreRefused() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let fields = ["X-Token: \(try fixture.token())", "Cookie: session=\(try fixture.token(["sub": "bob"]))"]
            expectRefusal(try await fixture.request("/x", fields: fields), 400, "conflicting_tokens")
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func twoTokensInOneSourceAreRefused() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let cookie = "Cookie: session=\(try fixture.token()); session=\(try fixture.token(["sub": "bob"]))"
            expectRefusal(try await fixture.request("/x", fields: [cookie]), 400, "bad_request")
            #expect(fixture.backend.requests.isEmpty)
        }
    }
}
