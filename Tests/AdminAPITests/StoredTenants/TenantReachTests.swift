import Testing
import Verification

@testable import AdminAPI
@testable import Tenants

@Suite struct TenantReachTests {
    private static func tenant(
        _ name: String,
        _ hosts: [HostPattern],
        prefix: String? = nil,
        realm: String? = nil
    ) -> Tenant {
        var tenant = AdminFixture.tenant(name)
        tenant.hosts = hosts
        tenant.pathPrefix = prefix
        tenant.accounts.realm = realm
        return tenant
    }

    private static let inForce = [
        tenant("finance", [.exact("pay.test"), .oneLabelBelow("bank.test")], realm: "staff"),
        tenant("shop-one", [.exact("shop.test")], realm: "shoppers"),
    ]

    private static func problem(_ tenant: Tenant, _ scopes: [AdminScope]? = nil) -> AdminProblem? {
        do throws(AdminProblem) {
            try TenantReach(.named("team", scopes ?? team), among: inForce).check(tenant)
            return nil
        } catch {
            return error
        }
    }

    private static var team: [AdminScope] {
        [.read] + (TenantNamePattern("shop-*").map { [.tenants($0)] } ?? [])
    }

    @Test(arguments: [HostPattern.exact("pay.test"), .exact("a.bank.test"), .oneLabelBelow("bank.test")])
    func hostOfATenantOutsideTheScopeIsTaken(_ host: HostPattern) {
        for prefix in [nil, "/login"] {
            let problem = Self.problem(Self.tenant("shop-two", [.exact("two.test"), host], prefix: prefix))
            #expect(problem?.code == .hostTaken && problem?.members["tenant"] == "finance")
        }
    }

    /// A wildcard takes requests that another tenant's exact host would leave to nobody, and those of its later hosts.
    @Test func wildcardOverAHostOutsideTheScopeIsTaken() {
        #expect(Self.problem(Self.tenant("shop-two", [.oneLabelBelow("test")]))?.code == .hostTaken)
    }

    @Test func otherHostsAreFree() {
        for host in [HostPattern.exact("bank.test"), .exact("a.b.bank.test"), .oneLabelBelow("pay.test")] {
            #expect(Self.problem(Self.tenant("shop-two", [host])) == nil)
        }
    }

    /// Where its tokens come from, and its sign-in takes place.
    @Test(arguments: [HostPattern.exact("id.test"), .oneLabelBelow("test")])
    func hostOfAnotherTenantsIssuerIsTaken(_ host: HostPattern) {
        var bank = AdminFixture.tenant(
            "bank",
            BuiltInIssuer(url: "http://id.test:8443/a", audience: "a", algorithm: .es256)
        )
        bank.hosts = [.exact("app.bank.test")]
        let reach = TenantReach(.named("team", Self.team), among: [bank])
        #expect(throws: AdminProblem.self) { try reach.check(Self.tenant("shop-two", [host])) }
        #expect(throws: Never.self) { try reach.check(Self.tenant("shop-two", [.exact("a.id.test")])) }
    }

    @Test func hostOfATenantWithinTheScopeIsForTheStoreToDecide() {
        #expect(Self.problem(Self.tenant("shop-two", [.exact("shop.test")], prefix: "/two")) == nil)
    }

    @Test func realmOfATenantOutsideTheScopeIsRefused() {
        #expect(Self.problem(Self.tenant("shop-two", [.exact("two.test")], realm: "staff"))?.code == .insufficientScope)
        #expect(Self.problem(Self.tenant("shop-two", [.exact("two.test")], realm: "shoppers")) == nil)
        #expect(Self.problem(Self.tenant("shop-two", [.exact("two.test")], realm: "new")) == nil)
    }

    @Test func whoMayDoAllMayShareAHost() {
        #expect(Self.problem(Self.tenant("shop-two", [.exact("pay.test")], prefix: "/two"), [.all]) == nil)
    }
}
