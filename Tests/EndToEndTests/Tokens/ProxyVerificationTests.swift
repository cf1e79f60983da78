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

    @Test func wrongSignatureIsInvalid() async throws {
        try await withGateway { fixture async throws in
            let stranger = fixture.issuer.stranger
            let ours = try #require(fixture.issuer.rsa.thumbprint)
            let forged = [
                try fixture.token(algorithm: .rs256, key: stranger),
                try fixture.token(algorithm: .rs256, key: stranger, keyID: ours),
                try fixture.token(algorithm: .rs256, keyID: "nobody-knows-this-key"),
                try fixture.token(key: SigningKey(secret: Array(repeating: 7, count: 64))),
            ]
            for (index, token) in forged.enumerated() {
                let response = try await fixture.request("/x", token: token)
                expectChallenge(response, 401, "invalid_token", error: "invalid_token", "\(index)")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func tokenWithOneChangedCharacterIsInvalid() async throws {
        try await withGateway { fixture async throws in
            let token = try fixture.token(algorithm: .es256)
            #expect(try await fixture.request("/x", token: token).status == 200)
            for index in stride(from: 3, to: token.utf8.count, by: 37) {
                var bytes = Array(token.utf8)
                guard bytes[index] != UInt8(ascii: ".") else { continue }
                bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                expectRefusal(try await fixture.request("/x", token: bytes.text), 401, "invalid_token", "\(index)")
            }
        }
    }

    @Test func algorithmNoneIsRefused() async throws {
        try await withGateway { fixture async throws in
            let payload = try #require(try fixture.token().split(separator: ".").dropFirst().first)
            for name in ["none", "None", "NONE", "nOnE", ""] {
                let header = Base64URL.encode(Array("{\"alg\":\"\(name)\",\"typ\":\"JWT\"}".utf8))
                for token in ["\(header).\(payload).", "\(header).\(payload)", "\(header).\(payload).AAAA"] {
                    expectRefusal(try await fixture.request("/x", token: token), 401, "invalid_token", name)
                }
            }
        }
    }

    @Test func publicKeyIsNotUsedAsSecret() async throws {
        try await withGateway { fixture async throws in
            let pem = try #require(fixture.issuer.rsa.publicKeyPEM)
            let jwk = try #require(fixture.issuer.rsa.publicJWK())
            for secret in [Array(pem.utf8), Array(pem.trimmingSpaces.utf8.dropLast()), JSONWriter.bytes(of: jwk)] {
                let token = try fixture.token(
                    ["iss": .string(TestIssuer.name)],
                    key: SigningKey(secret: secret),
                    keyID: fixture.issuer.rsa.thumbprint
                )
                expectRefusal(try await fixture.request("/x", token: token), 401, "invalid_token")
            }
        }
    }

    @Test func keysInTokenHeaderAreIgnored() async throws {
        try await withGateway { fixture async throws in
            let stranger = fixture.issuer.stranger
            let own = try #require(stranger.publicJWK())
            let headers: [JSONObject] = [
                ["jwk": .object(own)], ["jku": .string("http://127.0.0.1:\(fixture.other.port)/jwks.json")],
                ["x5u": .string("http://127.0.0.1:\(fixture.other.port)/cert.pem")], ["x5c": ["MIIB"]],
                ["crit": ["exp"], "exp": 1], ["crit": []], ["b64": false, "crit": ["b64"]],
            ]
            for header in headers {
                let token = try fixture.token(algorithm: .rs256, key: stranger, header: header)
                expectRefusal(try await fixture.request("/x", token: token), 401, "invalid_token")
            }
            #expect(fixture.other.connections == 0)
        }
    }

    @Test func tokenOver16KiBIsRefused() async throws {
        try await withGateway { fixture async throws in
            let small = try fixture.token(["pad": .string(String(repeating: "x", count: 8 << 10))])
            #expect(try await fixture.request("/x", token: small).status == 200)
            let large = try fixture.token(["pad": .string(String(repeating: "x", count: 14 << 10))])
            #expect(large.utf8.count > 16 << 10)
            expectRefusal(try await fixture.request("/x", token: large), 401, "invalid_token")
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
