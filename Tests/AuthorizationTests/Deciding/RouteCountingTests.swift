import Testing
import UpstreamTestSupport

@testable import Authorization
@testable import Tenants

/// Which routes count a request.
@Suite struct RouteCountingTests {
    private static func pipeline(_ paths: [String]) throws -> RequestPipeline {
        var tenant = try RequestPipeline.tenant(access: [try RequestPipeline.rule("/open/**", .anyone)])
        let share = RouteForwarding.Share(backend: BackendIndex(0))
        tenant.routes = RouteTable(
            try paths.map { path in
                Route(path: try PathPattern(path), action: .forward(RouteForwarding(shares: [share])))
            }
        )
        return RequestPipeline([tenant])
    }

    @Test func everyRequestCountsOnceHoweverItIsDecided() throws {
        let pipeline = try Self.pipeline(["/open/a/**", "/open/**", "/api/**"])
        for path in ["/open/a/x", "/open/b", "/open/c", "/api/x", "/other"] { _ = pipeline.get(path) }
        // Another pass of one request.
        _ = pipeline.ask(RequestPipeline.request("/other"), allowing: [])
        #expect(pipeline.tenants[0].routeCounts?.counts == [1, 2, 1, 1])
    }

    @Test func tenantWithoutRoutesHasNoCounts() throws {
        let pipeline = try Self.pipeline([])
        _ = pipeline.get("/open/x")
        #expect(pipeline.tenants[0].routeCounts == nil)
    }
}
