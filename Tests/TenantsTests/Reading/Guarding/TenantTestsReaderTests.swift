import ConfigurationText
import Tenants
import Testing
import Verification

/// What `tests`, the modes of rules and the lines of keys come out as.
struct TenantTestsReaderTests {
    private static func tenant(_ more: String, issuers: String = "[\(Sample.issuer)]") throws -> Tenant {
        let result = Sample.read(Sample.tenant(issuers: issuers, more: more))
        #expect(result.errors.isEmpty)
        return try #require(result.configuration?.tenants.first)
    }

    @Test func testsAreRead() throws {
        let tenant = try Self.tenant(
            """
            tests:
              - request: GET /orders?a=b
                claims: { role: customer, exp: 1, admin: true, note: "1", gone: null, list: [a, 2] }
                headers: { Origin: "https://shop.test" }
                expect: { status: 403, code: insufficient_role }
              - { request: "POST  /", expect: { status: 200 } }
            """
        )
        #expect(tenant.tests.count == 2)
        let first = try #require(tenant.tests.first)
        #expect(first.method == "GET" && first.target == "/orders?a=b")
        #expect(
            first.claims == [
                "role": "customer", "exp": 1, "admin": true, "note": "1", "gone": nil, "list": ["a", 2],
            ]
        )
        #expect(first.fields.map(\.name) == ["Origin"] && first.fields.map(\.value) == ["https://shop.test"])
        #expect(first.status == 403 && first.code == "insufficient_role")
        #expect(first.line == 9 && first.column == 9)
        let second = try #require(tenant.tests.last)
        #expect(second.method == "POST" && second.target == "/" && second.status == 200)
        #expect(second.claims == nil && second.code == nil && second.fields.isEmpty && second.line == 13)
    }

    @Test func rulesHaveModes() throws {
        let tenant = try Self.tenant(
            """
            access:
              - { path: /a, allow: anyone }
              - { path: /b, allow: { roles: [x] }, mode: observe }
              - { path: /c, allow: { roles: [x] }, mode: enforce }
            """
        )
        #expect(tenant.access.rules.map(\.mode) == [.enforce, .observe, .enforce])
        #expect(tenant.access.rules.map(\.line) == [9, 10, 11])
    }

    @Test func keysHaveLines() throws {
        let tenant = try Self.tenant(
            """
            mode: observe
            access:
              - { path: /a, allow: anyone }
            revoke_on:
              - POST /logout
            tests:
              - { request: GET /a, expect: { status: 200 } }
            """,
            issuers: "[\(Sample.issuer), { preset: google, audiences: [a] }]"
        )
        let lines: KeyValuePairs<String, SourceLine> = [
            "hosts": 4, "backend": 5, "authenticate": 6, "authenticate.issuers": 7, "authenticate.issuers[0]": 7,
            "authenticate.issuers[2]": 7, "mode": 8, "access": 9, "access[0]": 10, "revoke_on[0]": 12,
        ]
        for (path, line) in lines {
            #expect(tenant.lines[path] == line, "\(path)")
        }
        #expect(tenant.authenticate.policy.issuers.count == tenant.authenticate.issuerLines.count)
        #expect(tenant.lines["tests"] == nil)
    }
}
