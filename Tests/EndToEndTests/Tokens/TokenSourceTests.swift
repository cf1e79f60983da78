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

    @Test func firstSourceWithTokenDecides() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let alice = try fixture.token()
            let bob = try fixture.token(["sub": "bob"])
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

    @Test func badTokenInFirstSourceIsNotReplacedBySecond() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let expired = try fixture.token(["exp": TestIssuer.fromNow(-3600)])
            let fields = ["X-Token: \(expired)", "Cookie: session=\(try fixture.token())"]
            expectRefusal(try await fixture.request("/x", fields: fields), 401, "token_expired")
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
