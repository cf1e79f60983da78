import Tenants
import Testing
import UpstreamTestSupport

@testable import Authorization

/// Which access rules count a request.
struct RuleCountingTests {
    private let pipeline: RequestPipeline

    init() throws {
        pipeline = RequestPipeline([
            try RequestPipeline.tenant(access: [
                try RequestPipeline.rule("/open/**", .anyone),
                try RequestPipeline.rule("/admin/**", .signedIn(roles: ["admin"], scopes: [])),
                try RequestPipeline.rule("/a/b", .anyone),
            ])
        ])
    }

    /// By rule; last the default.
    private var counts: [UInt64] { pipeline.tenants[0].ruleCounts.counts }

    @Test func everyRequestCountsOnceHoweverItIsDecided() throws {
        _ = pipeline.get("/open/x")
        _ = pipeline.get("/admin/x")
        _ = pipeline.get("/admin/x", token: "nonsense")
        _ = pipeline.get("/admin/x", token: try RequestPipeline.token())
        _ = pipeline.get("/other", token: try RequestPipeline.token())
        #expect(counts == [1, 3, 0, 1])
    }

    @Test func secondPassOfOneRequestDoesNotCount() throws {
        let bytes = RequestPipeline.request("/open/x")
        _ = pipeline.ask(bytes)
        // Another pass of the same request: only the first begins a new one.
        _ = pipeline.ask(bytes, allowing: [])
        #expect(counts == [1, 0, 0, 0])
        _ = pipeline.ask(bytes)
        #expect(counts == [2, 0, 0, 0])
    }

    @Test func everyReadingOfPathCountsItsRuleOnce() {
        // A server may merge the slashes.
        _ = pipeline.get("/open//x")
        #expect(counts == [1, 0, 0, 0])
        _ = pipeline.get("/a//b")
        #expect(counts == [1, 0, 1, 1])
    }

    @Test func rehearsalDoesNotCount() {
        pipeline.decisionContext.source = .rehearsal
        _ = pipeline.get("/open/x")
        #expect(counts == [0, 0, 0, 0])
    }

    @Test func requestWithoutTenantDoesNotCount() {
        _ = pipeline.ask(RequestPipeline.request("/open/x", host: "other.test"))
        #expect(counts == [0, 0, 0, 0])
    }
}
