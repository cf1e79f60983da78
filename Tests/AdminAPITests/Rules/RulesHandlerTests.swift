import Counting
import Tenants
import Testing
import Verification

@testable import AdminAPI

/// A tenant's rules with their use, without HTTP.
struct RulesHandlerTests {
    private func handler() throws -> RulesHandler {
        var tenants = try AdminFixture().tenants
        tenants[2].mode = .observe
        tenants[2].access = AccessRules([
            AccessRule(path: try PathPattern("/open/**"), methods: ["GET"], allow: .anyone, line: 12),
            AccessRule(
                path: try PathPattern("/admin/**"),
                allow: .signedIn(roles: ["admin"], scopes: ["write"]),
                mode: .observe,
                line: 13
            ),
        ])
        let access = tenants[2].access
        return RulesHandler(live: .serving(tenants)) { index in
            var counts = RuleCounts(access, since: AdminFixture.now)
            if index == 2 { for rule in [0, 0, nil] { counts.count(rule) } }
            return counts
        }
    }

    @Test func everyRuleHasItsUse() async throws {
        let list = try await handler().list(tenant: "plain")
        #expect(list["tenant"] == "plain" && list["mode"] == "observe")
        let since: JSONValue = "2027-01-15T08:00:00.000Z"
        #expect(
            list["rules"] == [
                [
                    "path": "/open/**", "methods": ["GET"], "allow": "anyone", "roles": [], "scopes": [],
                    "mode": "enforce", "line": 12, "hits": 2, "since": since,
                ],
                [
                    "path": "/admin/**", "methods": [], "allow": "signed_in", "roles": ["admin"], "scopes": ["write"],
                    "mode": "observe", "line": 13, "hits": 0, "since": since,
                ],
            ]
        )
        #expect(list["default"] == ["hits": 1, "since": since])
    }

    @Test(arguments: [(nil, AdminProblem.Code.badRequest), ("", .badRequest), ("Plain", .unknownTenant)])
    func listNeedsTenant(_ name: String?, _ code: AdminProblem.Code) async throws {
        let handler = try handler()
        await #expect { try await handler.list(tenant: name) } throws: { ($0 as? AdminProblem)?.code == code }
    }
}
