import Counting
import Testing
import Verification

@testable import AdminAPI
@testable import Tenants

/// A tenant's rules with their use, without HTTP.
struct RulesHandlerTests {
    private func handler(isRouted: Bool = false) throws -> RulesHandler {
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
        let share = RouteForwarding.Share(backend: BackendIndex(0))
        let path = try PathPattern("/api/**")
        let forwarding = RouteForwarding(shares: [share], rewrite: try PathTemplate("/v2/**", of: path))
        let route = Route(
            path: path,
            methods: RequestMethods(["GET"]),
            conditions: [HeaderCondition(name: "X-Beta", value: "1")],
            action: .forward(forwarding),
            line: 20
        )
        let routes = isRouted ? [route] : []
        tenants[2].routes = RouteTable(routes)
        return RulesHandler(live: .serving(tenants)) { index in
            var counts = RuleCounts(access, since: AdminFixture.now)
            if index == 2 { for rule in [0, 0, nil] { counts.count(rule) } }
            return counts
        } routeCounts: { _ in
            var counts = RouteCounts(routes, since: AdminFixture.now)
            if isRouted { for route in [0, nil, 0] { counts.count(route) } }
            return counts
        }
    }

    @Test func everyRouteHasItsUse() async throws {
        let list = try await handler(isRouted: true).list(tenant: "plain")
        let since: JSONValue = "2027-01-15T08:00:00.000Z"
        #expect(
            list["routes"] == [
                [
                    "path": "/api/**", "methods": ["GET"], "fields": ["x-beta: 1"],
                    "does": "backend default, which sees it as /v2/**", "line": 20, "hits": 2, "since": since,
                ]
            ]
        )
        #expect(list["unrouted"] == ["hits": 1, "since": since])
    }

    @Test func tenantWithoutRoutesHasNone() async throws {
        let list = try await handler().list(tenant: "plain")
        #expect(list["routes"] == [] && list["unrouted"] == .null)
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
