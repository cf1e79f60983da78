import TestSupport
import Testing
import UpstreamTestSupport

@testable import Gateway
@testable import Tenants

@Suite struct ReloadPlanTests {
    private static func listener(_ port: Int) -> Listener { Listener(address: HostPort(host: "127.0.0.1", port: port)) }

    private static func configuration(_ tenants: [Tenant], ports: [Int] = [8080]) -> TenantsConfiguration {
        TenantsConfiguration(gateway: GatewaySettings(listeners: ports.map(listener)), tenants: tenants)
    }

    private static func plan(from old: TenantsConfiguration, to new: TenantsConfiguration) -> ReloadPlan {
        let snapshot = ConfigurationSnapshot(old, at: 0)
        return ReloadPlan(from: snapshot, to: snapshot.next(new, at: 1))
    }

    @Test func planNamesEveryChange() throws {
        let (a, b, c) = (
            try RequestPipeline.tenant(name: "a"), try RequestPipeline.tenant(name: "b"),
            try RequestPipeline.tenant(name: "c")
        )
        var other = b
        other.mode = .observe
        let plan = Self.plan(
            from: Self.configuration([a, b], ports: [8080, 8081]),
            to: Self.configuration([other, c], ports: [8082, 8080])
        )
        #expect(plan.obstacles == [])
        #expect(plan.opened == [Self.listener(8082)])
        #expect(plan.closed == [Self.listener(8081)])
        #expect(
            plan.changes == [
                "listener 127.0.0.1:8082: added", "listener 127.0.0.1:8081: removed", "tenant b: changed",
                "tenant c: added", "tenant a: removed",
            ]
        )
    }

    @Test func movedLinesAreNoChange() throws {
        var (tenant, moved) = (try RequestPipeline.tenant(), try RequestPipeline.tenant())
        tenant.lines = ["": 7]
        moved.lines = ["": 9]
        tenant.access.rules = [AccessRule(path: try PathPattern("/x"), allow: .anyone, line: 3)]
        moved.access.rules = [AccessRule(path: try PathPattern("/x"), allow: .anyone, line: 5)]
        #expect(Self.plan(from: Self.configuration([tenant]), to: Self.configuration([moved])).changes == [])
    }

    @Test func restartOnlyChangesAreObstacles() throws {
        let old = Self.configuration([try RequestPipeline.tenant()])
        var new = old
        new.gateway.threads = 4
        new.gateway.log.format = .text
        new.gateway.limits.headers = 50
        new.gateway.listeners[0].tls = true
        let plan = Self.plan(from: old, to: new)
        #expect(
            plan.obstacles == [
                "gateway.threads can only change with a restart", "gateway.log.format can only change with a restart",
                "gateway.listen: tls of 127.0.0.1:8080 can only change with a restart",
            ]
        )
    }

    @Test func redirectToHTTPSIsReloadable() throws {
        let old = Self.configuration([try RequestPipeline.tenant()])
        var new = old
        new.gateway.redirectsToHTTPS = true
        let plan = Self.plan(from: old, to: new)
        #expect(plan.obstacles == [] && plan.changes == ["gateway.redirect_https: changed"])
    }

    /// A change of a template may change ten thousand tenants: what is logged and kept of it has a bound.
    @Test func onlyTheFirstOfManyChangesAreListed() throws {
        let tenants = try (0..<150).map { try RequestPipeline.tenant(name: "t\($0)") }
        let changed = tenants.map { tenant in
            var tenant = tenant
            tenant.mode = .observe
            return tenant
        }
        let changes = Self.plan(from: Self.configuration(tenants), to: Self.configuration(changed)).changes
        #expect(changes.count == 101)
        #expect(changes.first == "tenant t0: changed" && changes.last == "and 50 more")
    }
}
