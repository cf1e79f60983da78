import Testing
import Verification

/// Token verification with real keys, through the proxy (RFC 7515, RFC 7519, RFC 8725).
@Suite struct ProxyVerificationTests {
    @Test func everyListedAlgorithmIsAccepted() async throws {
        try await withGateway { fixture async throws in
            for algorithm in [SignatureAlgorithm.rs256, .ps256, .es256, .edDSA, .hs256] {
                let token = try fixture.token(["sub": .string(algorithm.rawValue)], algorithm: algorithm)
                // The second time from the cache.
                for _ in 0..<2 {
                    let response = try await fixture.request("/x", token: token)
                    try #require(response.status == 200, "\(algorithm): \(response.body.text)")
                    let seen = try await fixture.backend.arrivals.next()
                    #expect(seen.fields["X-User-Id"] == [algorithm.rawValue])
                }
            }
        }
    }

    @Test func leewayOfTenantApplies() async throws {
        let setup = GatewaySetup(
            tenant: """
                authenticate:
                  issuers: [ { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" } ]
                  leeway: 0s
                """
        )
        try await withGateway(setup) { fixture async throws in
            let response = try await fixture.request("/x", token: try fixture.token(["exp": TestIssuer.fromNow(-20)]))
            expectRefusal(response, 401, "token_expired")
        }
    }

    /// `SignatureTests`, `HeaderTests` and `KeySelectionTests` have the other forgeries.
    @Test func forgedTokensAreInvalid() async throws {
        try await withGateway { fixture async throws in
            let (rsa, stranger) = (fixture.issuer.rsa, fixture.issuer.stranger)
            let payload = try #require(try fixture.token().split(separator: ".").dropFirst().first)
            let none = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
            let publicKey = SigningKey(secret: Array(try #require(rsa.publicKeyPEM).utf8))
            let address = "http://127.0.0.1:\(fixture.other.port)"
            let forged = [
                "\(none).\(payload).", "\(none).\(payload)", "\(none).\(payload).AAAA",
                try fixture.token(algorithm: .rs256, key: stranger, keyID: rsa.thumbprint),
                try fixture.token(["iss": .string(TestIssuer.name)], key: publicKey, keyID: rsa.thumbprint),
                try fixture.token(
                    algorithm: .rs256,
                    key: stranger,
                    header: ["jwk": .object(try #require(stranger.publicJWK()))]
                ),
                try fixture.token(algorithm: .rs256, key: stranger, header: ["jku": .string("\(address)/jwks.json")]),
                try fixture.token(algorithm: .rs256, key: stranger, header: ["x5u": .string("\(address)/cert.pem")]),
            ]
            for (index, token) in forged.enumerated() {
                let response = try await fixture.request("/x", token: token)
                expectChallenge(response, 401, "invalid_token", error: "invalid_token", "\(index)")
            }
            #expect(fixture.backend.requests.isEmpty && fixture.other.connections == 0)
        }
    }

    @Test func forgedTokenDoesNotAffectGoodOne() async throws {
        try await withGateway { fixture async throws in
            let good = try fixture.token(algorithm: .rs256)
            let forged = try fixture.token(algorithm: .rs256, key: fixture.issuer.stranger)
            let client = try await fixture.connect()
            for (token, status) in [(good, 200), (forged, 401), (good, 200), (forged, 401), (good, 200)] {
                #expect(try await client.request(fixture.head("/x", token: token)).status == status)
            }
        }
    }
}
