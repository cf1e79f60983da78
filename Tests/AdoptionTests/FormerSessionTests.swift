import IdentityProvider
import TestSupport
import Testing
import Verification

@testable import Adoption
@testable import Tenants

/// What of a former token goes over into the tokens of the new session.
struct FormerSessionTests {
    private func claims(
        _ changes: KeyValuePairs<String, JSONValue?>,
        headers: [String] = ["sub"],
        mapping: [ClaimMapping.Field: [String]]? = nil
    ) throws -> JSONObject {
        var tenant = try AdoptionFixture.tenant()
        tenant.identity.headers = headers.map { Identity.Header(name: "X-\($0.count)", claim: $0) }
        if let mapping {
            tenant.authenticate.policy.issuers[0].mapping = ClaimMapping(
                mapping.mapValues { $0.compactMap { ClaimPlace($0) } }
            )
        }
        let request = AdoptionRequest(
            tenant: 0,
            principal: try AdoptionFixture.principal(changes, tenant),
            device: nil,
            clientAddress: []
        )
        return FormerSession(request, tenant).claims
    }

    @Test func usualClaimsAndRolesGoOver() throws {
        let claims = try claims(["name": "Alice", "email_verified": true, "nonce": "n", "azp": "app", "plan": "gold"])
        #expect(
            claims
                == [
                    "email": "alice@example.test", "email_verified": true, "name": "Alice",
                    "role": "customer",
                ]
        )
    }

    @Test func claimsOfIdentityFieldsGoOver() throws {
        let claims = try claims(
            ["plan": "gold", "org": ["id": 7, "deep": ["x": 1]], "a.b": "c", "other": 1],
            headers: ["plan", "org.deep.x", "a.b", "missing", "missing.too"]
        )
        #expect(claims["plan"] == "gold" && claims["org"] == ["id": 7, "deep": ["x": 1]] && claims["a.b"] == "c")
        #expect(claims["other"] == nil && claims["missing"] == nil)
    }

    @Test func limitedClaimsGoOver() throws {
        var tenant = try AdoptionFixture.tenant()
        tenant.rateLimits = [
            RateLimit(key: .claim("team"), count: 1, period: .seconds(1), burst: 1)
        ]
        let principal = try AdoptionFixture.principal(["team": "blue"], tenant)
        let request = AdoptionRequest(tenant: 0, principal: principal, device: nil, clientAddress: [])
        #expect(FormerSession(request, tenant).claims["team"] == "blue")
    }

    @Test func bothRoleClaimsGoOver() throws {
        let claims = try claims(["role": "a", "roles": ["a", "b"]])
        #expect(claims["role"] == "a" && claims["roles"] == ["a", "b"])
    }

    /// The issuer's own `roles` mean nothing where others are mapped: they would be rights that the old token had not.
    @Test func onlyMappedRolesGoOver() throws {
        let claims = try claims(
            ["role": nil, "roles": ["admin"], "groups": ["user"]],
            headers: ["roles"],
            mapping: [.roles: ["/groups"]]
        )
        let roles = (claims["role"]?.stringOrStrings ?? []) + (claims["roles"]?.stringOrStrings ?? [])
        #expect(Set(roles) == ["user"])
    }
}
