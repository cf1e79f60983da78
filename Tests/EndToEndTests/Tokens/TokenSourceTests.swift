import Testing
import Verification

/// Token sources: bearer, cookie, query or header, in the order of `from`.
@Suite struct TokenSourceTests {
    private static func from(_ sources: String) -> GatewaySetup {
        GatewaySetup(
            tenant: """
                authenticate: { from: [\(sources)], issuers: [ \(TestIssuer.entry) ] }
                """
        )
    }

    @Test func tokenSourcesAreReadInOrder() async throws {
        let setup = Self.from("\"header:X-Token\", \"cookie:session\", \"query:token\"")
        try await withGateway(setup) { fixture async throws in
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
        try await withGateway(Self.from("\"cookie:session\", bearer")) { fixture async throws in
            let expired = try fixture.token(["exp": TestIssuer.fromNow(-3600)])
            let response = try await fixture.request(
                "/x",
                token: try fixture.token(),
                fields: ["Cookie: session=\(expired)"]
            )
            expectRefusal(response, 401, "token_expired")
        }
    }

    @Test func twoTokensInOneSourceAreRefused() async throws {
        let setup = Self.from("bearer, \"cookie:session\", \"query:token\", \"header:X-Token\"")
        try await withGateway(setup) { fixture async throws in
            let one = try fixture.token()
            let two = try fixture.token(["sub": "bob"])
            let requests: [(String, [String])] = [
                ("/x", ["Authorization: Bearer \(one)", "Authorization: Bearer \(two)"]),
                ("/x", ["Authorization: Bearer \(one)", "authorization: bearer \(two)"]),
                ("/x", ["Cookie: session=\(one); session=\(two)"]),
                ("/x", ["Cookie: session=\(one)", "Cookie: session=\(two)"]),
                ("/x?token=\(one)&token=\(two)", []),
                ("/x?token=\(one)&tok%65n=\(two)", []),
                ("/x", ["X-Token: \(one)", "x-token: \(two)"]),
            ]
            for (index, (target, fields)) in requests.enumerated() {
                expectRefusal(try await fixture.request(target, fields: fields), 400, "bad_request", "\(index)")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }
}
