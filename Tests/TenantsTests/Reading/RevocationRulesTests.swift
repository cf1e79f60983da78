import Tenants
import Testing

/// What `revoke_on` and the keys around it come out as.
struct RevocationRulesTests {
    private static func tenant(_ more: String) throws -> Tenant {
        let result = Sample.read(Sample.tenant(more: more))
        #expect(result.errors.isEmpty)
        return try #require(result.configuration?.tenants.first)
    }

    @Test func rulesAreRead() throws {
        let tenant = try Self.tenant("revoke_on: ['POST /logout', 'DELETE  /sessions/*', 'POST /sign out/**']")
        #expect(
            tenant.revokeOn == [
                RevokeRule(method: "POST", path: try PathPattern("/logout")),
                RevokeRule(method: "DELETE", path: try PathPattern("/sessions/*")),
                RevokeRule(method: "POST", path: try PathPattern("/sign out/**")),
            ]
        )
    }

    @Test func revocationKeysAreRead() throws {
        let tenant = try Self.tenant(
            """
            on_store_failure: allow
            max_staleness: 2m
            refresh: { grace: 7d, call: { send: bearer, path: /r }, deliver: { header: X-T } }
            """
        )
        #expect(tenant.onStoreFailure == .allow)
        #expect(tenant.maxStaleness == .seconds(120))
        #expect(tenant.refreshGrace == .seconds(7 * 86_400))
    }

    @Test func storeFailureDeniesByDefault() throws {
        let tenant = try Self.tenant("strip_prefix: false")
        #expect(tenant.revokeOn.isEmpty)
        #expect(tenant.onStoreFailure == .deny)
        #expect(tenant.maxStaleness == .seconds(30))
        #expect(tenant.refreshGrace == .zero)
        let ungraced = try Self.tenant("refresh: { call: { send: bearer, path: /r }, deliver: { header: X-T } }")
        #expect(ungraced.refreshGrace == .zero)
    }

    @Test(arguments: [
        ("POST", "/logout", true), ("POST", "/logout/all", true), ("GET", "/logout", false), ("post", "/logout", false),
        ("HEAD", "/logout", false), ("POST", "/logouts", false), ("POSTS", "/logout", false), ("", "/logout", false),
    ])
    func ruleMatchesItsMethodAndItsPaths(method: String, path: String, matches: Bool) throws {
        let rule = RevokeRule(method: "POST", path: try PathPattern("/logout/**"))
        let (method, path) = (Array(method.utf8), Array(path.utf8))
        #expect(rule.matches(method: method.span, path: path.span) == matches)
    }
}
