import Gateway
import TestSupport
import Testing
import Time
import Verification

@testable import Tenants

/// What explanations and `tests` make of claims that are mapped.
struct MappedExplanationTests {
    private static func tenant() throws -> Tenant {
        var tenant = try ExplainPipeline.tenant()
        let places: [ClaimMapping.Field: [String]] = [
            .subject: ["/oid"], .roles: ["/realm_access/roles", "/resource_access/shop/roles"], .scopes: ["/scp"],
            .email: ["/emails/0"], .audience: ["client_id"],
        ]
        tenant.authenticate.policy.issuers[0].mapping = ClaimMapping(
            places.mapValues { $0.compactMap { ClaimPlace($0) } },
            rolesPrefix: "shop_"
        )
        tenant.authenticate.policy.issuers[0].audiences = ["app"]
        return tenant
    }

    private static let claims: JSONObject = [
        "iss": .string(SampleTenant.issuer), "oid": "7f", "client_id": "app", "scp": 7,
        "realm_access": ["roles": ["shop_admin", "crm_admin"]],
        "exp": .number(JSONNumber(Int(SampleTenant.now.seconds) + 600)),
    ]

    private static func texts(_ claims: JSONObject) throws -> [String] {
        let report = try ExplainPipeline(try tenant()).report("/admin/x", token: try SampleTenant.token(of: claims))
        return report.steps.filter { $0.step == "verify" }.map(\.text)
    }

    @Test func eachMappedFieldIsExplained() throws {
        #expect(
            try Self.texts(Self.claims) == [
                "the token is good: subject 7f of https://issuer.test, expires 2027-01-15T08:10:00.000Z",
                "subject 7f, mapped from /oid",
                "roles admin, mapped from /realm_access/roles, /resource_access/shop/roles (missing); 1 left out, "
                    + "without shop_ before it",
                "scopes none, mapped from /scp (of another type, not taken)",
                "email none, mapped from /emails/0 (missing)",
                "audience app, mapped from client_id",
            ]
        )
    }

    @Test func stepsNameTheLineOfTheIssuer() throws {
        let token = try SampleTenant.token(of: Self.claims)
        let report = try ExplainPipeline(try Self.tenant()).report("/admin/x", token: token)
        #expect(report.steps.filter { $0.step == "verify" }.allSatisfy { $0.line == 9 })
        #expect(report.decision == .forward)
    }

    @Test func missingSubjectAndWrongAudienceAreExplained() throws {
        var claims = Self.claims
        claims["oid"] = JSONValue?.none
        #expect(
            try Self.texts(claims) == [
                "the claim /oid is required and missing: it says that it is of https://issuer.test"
            ]
        )
        claims["oid"] = "7f"
        claims["client_id"] = "other"
        #expect(
            try Self.texts(claims) == [
                "the token is meant for another audience: it says that it is of https://issuer.test, for other; taken "
                    + "are tokens for app"
            ]
        )
    }

    @Test func testsAreWrittenWithTheClaimsOfTheProvider() async throws {
        var tenant = try Self.tenant()
        tenant.authenticate.policy.issuers[0].conditions = [
            ClaimCondition(try #require(ClaimPlace("token_use")), ["access"])
        ]
        func test(_ claims: JSONObject, _ status: Int, _ code: String? = nil) -> TenantTest {
            TenantTest(
                method: "GET",
                target: "/admin/x",
                claims: claims,
                fields: [],
                status: status,
                code: code,
                line: 50,
                column: 9
            )
        }
        // Subject, audience and `token_use` are as in every token of the issuer, unless a test says otherwise.
        tenant.tests = [
            test(["realm_access": ["roles": ["shop_admin"]]], 200),
            test(["realm_access": ["roles": ["admin"]]], 403, "insufficient_role"),
            test(["role": "admin"], 403, "insufficient_role"),
            test(["realm_access": ["roles": ["shop_admin"]], "oid": nil], 401, "invalid_token"),
            test(["realm_access": ["roles": ["shop_admin"]], "client_id": "other"], 401, "invalid_token"),
            test(["realm_access": ["roles": ["shop_admin"]], "token_use": "id"], 401, "invalid_token"),
        ]
        let configuration = TenantsConfiguration(gateway: GatewaySettings(listeners: []), tenants: [tenant])
        let mistakes = try await TenantTestRun.run(configuration, file: "t.yaml", at: Clock.unix())
        #expect(mistakes.map(\.description) == [])
    }
}
