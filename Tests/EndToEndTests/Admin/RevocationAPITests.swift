import Tenants
import Testing
import Verification

/// `/api/revocations`: an acknowledged revocation is in force for the next request.
@Suite struct RevocationAPITests {
    /// Claims that every selector matches.
    private static let claims: JSONObject = ["jti": "t1", "sid": "s1", "sub": "alice"]

    private func pass(_ fixture: GatewayFixture, _ token: String) async throws {
        #expect(try await fixture.request("/x", token: token).status == 200)
    }

    private func isRevoked(_ fixture: GatewayFixture, _ token: String) async throws {
        expectRefusal(try await fixture.request("/x", token: token), 401, "token_revoked")
    }

    @Test(arguments: [
        (#""jti":"t1""#, ["jti", "jti"]), (#""session":"s1""#, ["session"]), (#""subject":"alice""#, ["subject"]),
        (#""all":true"#, ["all"]),
    ])
    func revocationRefusesAndWithdrawalAdmits(_ selector: String, _ kinds: [String]) async throws {
        try await withGateway { fixture async throws in
            let token = try fixture.token(Self.claims)
            try await pass(fixture, token)
            let body = #"{"tenant":"app",\#(selector),"reason":"a test"}"#
            let revoked = try fixture.entries("revoked", try await fixture.revocations("POST", body: body))
            #expect(revoked.map { $0["kind"]?.string } == kinds)
            #expect(revoked.allSatisfy { $0["expires_at"] == .null && $0["reason"] == "a test" })
            try await isRevoked(fixture, token)
            let withdrawn = try fixture.entries("withdrawn", try await fixture.revocations("DELETE", body: body))
            #expect(withdrawn.map { $0["kind"]?.string } == kinds)
            try await pass(fixture, token)
            #expect(try fixture.entries("withdrawn", try await fixture.revocations("DELETE", body: body)).isEmpty)
            try await pass(fixture, token)
        }
    }

    @Test(arguments: [["jti": "t1"], [:]] as [JSONObject])
    func wholeTokenIsRevoked(_ claims: JSONObject) async throws {
        try await withGateway { fixture async throws in
            let token = try fixture.token(claims)
            let other = try fixture.token(["jti": "t2"])
            try await pass(fixture, token)
            let body = #"{"tenant":"app","token":"\#(token)"}"#
            let response = try await fixture.revocations("POST", body: body)
            #expect(try fixture.entries("revoked", response).first?["expires_at"]?.string != nil)
            #expect(!response.body.text.contains(token))
            try await isRevoked(fixture, token)
            try await pass(fixture, other)
            _ = try fixture.entries("withdrawn", try await fixture.revocations("DELETE", body: body))
            try await pass(fixture, token)
        }
    }

    @Test func otherTenantsAreNotTouched() async throws {
        let others = """
            shop:
              hosts: [shop.test]
              backend: { servers: ["{other}"] }
              authenticate: { from: [bearer], issuers: [ \(TestIssuer.entry) ] }
            """
        try await withGateway(GatewaySetup(others: others)) { fixture async throws in
            let token = try fixture.token(Self.claims)
            for selector in [#""jti":"t1""#, #""session":"s1""#, #""subject":"alice""#, #""all":true"#] {
                let body = #"{"tenant":"shop",\#(selector)}"#
                _ = try fixture.entries("revoked", try await fixture.revocations("POST", body: body))
            }
            try await pass(fixture, token)
            expectRefusal(try await fixture.request("/x", host: "shop.test", token: token), 401, "token_revoked")
        }
    }

    @Test func acknowledgedRevocationIsInForceOnEveryLoop() async throws {
        try await withGateway(GatewaySetup(gateway: "threads: 4")) { fixture async throws in
            let tokens = try (0..<8).map { try fixture.token(["jti": .string("t\($0)"), "sid": "s1"]) }
            for token in tokens { try await pass(fixture, token) }
            let body = #"{"tenant":"app","session":"s1"}"#
            _ = try fixture.entries("revoked", try await fixture.revocations("POST", body: body))
            for token in tokens + tokens { try await isRevoked(fixture, token) }
        }
    }
}
