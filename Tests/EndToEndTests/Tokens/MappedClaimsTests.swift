import Testing
import Verification

/// Tokens whose roles are where their provider puts them, through the proxy.
@Suite struct MappedClaimsTests {
    private static let setup = GatewaySetup(
        tenant: """
            authenticate:
              issuers:
                - { preset: keycloak, domain: id.test, realm: shop, audiences: [app], jwks_file: "{jwks}", claims: { session: sid } }
            access:
              - { path: /admin/**, allow: { roles: [admin] } }
            """
    )

    private static let claims: JSONObject = [
        "iss": "https://id.test/realms/shop", "typ": "Bearer", "sub": "7ddaf89f", "email": "ann@shop.test",
        "realm_access": ["roles": ["admin", "offline_access"]], "role": "guest",
    ]

    @Test func ruleForRolesPassesWithKeycloaksForm() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let token = try fixture.token(Self.claims, algorithm: .rs256)
            // The second time from the cache.
            for _ in 0..<2 {
                let response = try await fixture.request("/admin/x", token: token)
                try #require(response.status == 200, "\(response.body.text)")
                let seen = try await fixture.backend.arrivals.next()
                #expect(seen.fields["X-User-Id"] == ["7ddaf89f"])
                #expect(seen.fields["X-User-Role"] == ["admin,offline_access"])
                #expect(seen.fields["X-User-Email"] == ["ann@shop.test"])
            }
        }
    }

    @Test func otherRolesAndOtherTokensAreRefused() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            var claims = Self.claims
            claims["realm_access"] = ["roles": ["offline_access"]]
            claims["role"] = "admin"
            let user = try fixture.token(claims, algorithm: .rs256)
            expectRefusal(try await fixture.request("/admin/x", token: user), 403, "insufficient_role")
            claims = Self.claims
            claims["typ"] = "ID"
            let idToken = try fixture.token(claims, algorithm: .rs256)
            expectRefusal(try await fixture.request("/admin/x", token: idToken), 401, "invalid_token")
            #expect(fixture.backend.requests.isEmpty)
        }
    }
}
