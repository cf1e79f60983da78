import TestSupport
import Testing
import UpstreamTestSupport

@testable import Authorization
@testable import Tenants

@Suite struct RouteDecisionTests {
    private static func pipeline(
        _ routes: [Route],
        backends: [String] = ["default", "api", "next"],
        mode: Tenant.Mode = .enforce,
        access: [AccessRule]? = nil
    ) throws -> RequestPipeline {
        let access = try access ?? [RequestPipeline.rule("/**", .anyone)]
        var tenant = try RequestPipeline.tenant(access: access, mode: mode)
        let backend = tenant.backends[0]
        tenant.backends = backends.map { name in
            var own = backend
            own.name = name
            return own
        }
        tenant.routes = RouteTable(routes)
        return RequestPipeline([tenant])
    }

    private static func route(_ path: String, to backend: Int, _ conditions: [HeaderCondition] = []) throws -> Route {
        let share = RouteForwarding.Share(backend: BackendIndex(backend))
        return try Route(
            path: PathPattern(path),
            conditions: conditions,
            action: .forward(RouteForwarding(shares: [share]))
        )
    }

    private static func backend(_ grant: Grant?) -> Int? {
        grant?.backend(client: { [] }, random: { 0 })?.value
    }

    @Test func backendIsThatOfTheFirstRoute() throws {
        let pipeline = try Self.pipeline([
            Self.route("/api/**", to: 2, [HeaderCondition(name: "X-Beta", value: "1")]), Self.route("/api/**", to: 1),
        ])
        #expect(Self.backend(pipeline.get("/api/x").grant) == 1)
        #expect(Self.backend(pipeline.get("/api/x", lines: ["x-bETA: 1"]).grant) == 2)
        #expect(Self.backend(pipeline.get("/api/x", lines: ["X-Beta: 10"]).grant) == 1)
        #expect(Self.backend(pipeline.get("/api/x", lines: ["X_Beta: 1"]).grant) == 1)
        #expect(Self.backend(pipeline.get("/api/x", lines: ["X-Beta: 0", "X-Beta: 1"]).grant) == 2)
        #expect(Self.backend(pipeline.get("/other").grant) == 0)
    }

    @Test func unroutedPathWithoutADefaultBackendIs404() throws {
        let pipeline = try Self.pipeline([Self.route("/api/**", to: 1)], backends: ["web", "api"])
        #expect(pipeline.get("/other").refusal == .noRoute)
        #expect(pipeline.get("/api").grant != nil)
    }

    /// Another proxy that asks has routes of its own.
    @Test func unroutedPathIsNoMatterForAnotherProxy() throws {
        let pipeline = try Self.pipeline([Self.route("/api/**", to: 1)], backends: ["web", "api"])
        pipeline.decisionContext.source = .forwardAuth
        #expect(pipeline.get("/other").grant != nil)
    }

    @Test(arguments: [Tenant.Mode.enforce, .observe])
    func pathWithSeveralRoutesIs400(_ mode: Tenant.Mode) throws {
        let pipeline = try Self.pipeline(
            [Self.route("/api/admin/**", to: 1), Self.route("/api/**", to: 2)],
            mode: mode
        )
        #expect(pipeline.get("/api//admin").refusal == .severalRoutes)
        #expect(pipeline.get("/api;v=1/admin").refusal == .severalRoutes)
        #expect(Self.backend(pipeline.get("/api//x;y").grant) == 2, "one route in every reading")
        // Readings that do only one of the two.
        #expect(pipeline.get("/api//;x/admin").refusal == .severalRoutes)
        #expect(pipeline.get("/api/%2e%2e%2fadmin").refusal?.code == .ambiguousPath)
    }

    @Test func accessIsAskedAboutThePathBeforeTheRewrite() throws {
        let share = RouteForwarding.Share(backend: BackendIndex(1))
        let source = try PathPattern("/public/**")
        let rewrite = try PathTemplate("/admin/**", of: source)
        let routes = [Route(path: source, action: .forward(RouteForwarding(shares: [share], rewrite: rewrite)))]
        let pipeline = try Self.pipeline(
            routes,
            access: [
                RequestPipeline.rule("/admin/**", .signedIn(roles: ["admin"], scopes: [])),
                RequestPipeline.rule("/public/**", .anyone),
            ]
        )
        let peer = Peer(Array("192.0.2.1".utf8), trustedProxies: [], tls: nil)
        let reading = try pipeline.forward(RequestPipeline.request("/public/x%20y?a=b"), from: peer)
        #expect(reading.target == Array("/admin/x%20y?a=b".utf8))
    }

    @Test func rewriteToTheGatewaysOwnPathIsRefused() throws {
        let share = RouteForwarding.Share(backend: BackendIndex(1))
        let source = try PathPattern("/api/**")
        let rewrite = try PathTemplate("/**", of: source)
        let pipeline = try Self.pipeline([
            Route(path: source, action: .forward(RouteForwarding(shares: [share], rewrite: rewrite)))
        ])
        #expect(pipeline.get("/api/.gatehouse/x").refusal == .ours)
        #expect(pipeline.get("/api//.gatehouse/x").refusal == .ours)
        #expect(pipeline.get("/api/x").grant != nil)
    }

    @Test func bodyLimitIsTheRoutes() throws {
        var route = try Self.route("/api/**", to: 1)
        route.limits.bodyBytes = 2
        let pipeline = try Self.pipeline([route])
        let long = RequestPipeline.request("/api/x", method: "POST", lines: ["Content-Length: 3"])
        #expect(pipeline.ask(long).refusal == .payloadTooLarge)
        let elsewhere = RequestPipeline.request("/x", method: "POST", lines: ["Content-Length: 3"])
        #expect(pipeline.ask(elsewhere).grant != nil)
    }

    // MARK: Splits

    private static func split(_ sticky: RouteForwarding.Sticky) throws -> [Route] {
        let shares = [
            RouteForwarding.Share(backend: BackendIndex(1), weight: 95),
            RouteForwarding.Share(backend: BackendIndex(2), weight: 5),
        ]
        return [
            try Route(path: PathPattern("/**"), action: .forward(RouteForwarding(shares: shares, sticky: sticky)))
        ]
    }

    /// Two pipelines stand for two instances.
    @Test func callerHasTheSameShareAtEveryInstance() throws {
        let instances = try [Self.pipeline(Self.split(.subject)), Self.pipeline(Self.split(.subject))]
        var found: Set<Int> = []
        for number in 0..<200 {
            let token = try RequestPipeline.token(["sub": .string("user-\(number)")])
            let chosen = instances.flatMap { pipeline in
                (0..<3).map { _ in Self.backend(pipeline.get("/x", token: token).grant) }
            }
            #expect(Set(chosen).count == 1)
            found.formUnion(chosen.compactMap(\.self))
        }
        #expect(found == [1, 2])
    }

    @Test func shareOfSubjectsIsWithinOnePercent() throws {
        let pipeline = try Self.pipeline(Self.split(.subject))
        let runtime = pipeline.tenants[0].routes[0]
        let forwarding = try #require(runtime.route.forwarding)
        var count = 0
        for number in 0..<100_000 {
            let hash = StableHash.of("subject-\(number)".utf8)
            if forwarding.backend(at: runtime.point(of: hash)) == BackendIndex(2) { count += 1 }
        }
        #expect(abs(Double(count) / 100_000 - 0.05) < 0.01)
    }

    @Test func callerWithoutATokenIsSplitByAddress() throws {
        let grant = try #require(try Self.pipeline(Self.split(.subject)).get("/x").grant)
        var found: Set<Int?> = []
        for number in 0..<200 {
            let address = Array("192.0.2.\(number)".utf8)
            let chosen = (0..<3).map { _ in grant.backend(client: { address }, random: { 0 })?.value }
            #expect(Set(chosen).count == 1)
            found.formUnion(chosen)
        }
        #expect(found == [1, 2])
    }

    @Test func sessionsOfOneCallerAreSplit() throws {
        let pipeline = try Self.pipeline(Self.split(.session))
        var found: Set<Int?> = []
        for number in 0..<200 {
            let token = try RequestPipeline.token(["sub": "alice", "sid": .string("session-\(number)")])
            found.insert(Self.backend(pipeline.get("/x", token: token).grant))
        }
        #expect(found == [1, 2])
    }

    @Test func requestsWithoutStickinessAreSplitAtRandom() throws {
        let grant = try #require(try Self.pipeline(Self.split(.none)).get("/x").grant)
        #expect(grant.backend(client: { [] }, random: { 0 }) == BackendIndex(1))
        #expect(grant.backend(client: { [] }, random: { .max }) == BackendIndex(2))
    }
}
