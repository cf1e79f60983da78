import Authorization
import Counting
import Testing
import UpstreamTestSupport

@testable import Tenants

/// Requests at the path of a sign-in: the same decision for a client's request and for a rehearsed one.
struct EndpointDecisionTests {
    struct Case: Sendable {
        var method = "POST"
        var lines: [String] = []
        var target = "/auth/apple"
        /// Nil where the endpoint takes the request.
        var status: Int?
    }

    private static let refused = [
        Case(method: "PUT", status: 405),
        Case(method: "GET", status: 405),
        Case(method: "DELETE", target: "//auth/apple", status: 405),
        Case(lines: ["Content-Encoding: gzip"], status: 415),
        Case(lines: ["Content-Type: a/b", "Content-Type: a/b"], status: 400),
        Case(lines: ["Content_Type: application/json"], status: 400),
        Case(lines: ["X-HTTP-Method-Override: PUT"], status: 400),
        Case(lines: ["Content-Length: 65537"], status: 413),
        Case(method: "OPTIONS", lines: ["Content-Length: 1"], status: 405),
    ]
    private static let taken = [
        Case(), Case(lines: ["Content-Type: application/json", "Content-Length: 65536"]), Case(target: "/auth//apple"),
    ]
    /// Endpoints of the gateway refuse in every mode of the tenant.
    private static let enforcing: [(Tenant.Mode, SignIn.Exchange)] = [
        (.enforce, .forward), (.enforce, .issue), (.observe, .issue),
    ]
    private static let sources = [RequestSource.connection, .rehearsal]

    private static func pipeline(_ mode: Tenant.Mode, _ then: SignIn.Exchange, _ source: RequestSource) throws
        -> RequestPipeline
    {
        var tenant = try RequestPipeline.tenant(mode: mode)
        tenant.lines = ["mode": 30]
        let path = try PathPattern("/auth/apple")
        tenant.signIn = SignIn(apple: AppleSignIn(path: path, clientIDs: ["com.example.app"], then: then))
        let pipeline = RequestPipeline([tenant])
        pipeline.decisionContext.source = source
        return pipeline
    }

    private static func ask(_ pipeline: RequestPipeline, _ request: Case) -> RequestPipeline.Outcome {
        pipeline.ask(RequestPipeline.request(request.target, method: request.method, lines: request.lines))
    }

    @Test(arguments: refused)
    func malformedEndpointHeadIsRefused(request: Case) throws {
        for source in Self.sources {
            for (mode, then) in Self.enforcing {
                let pipeline = try Self.pipeline(mode, then, source)
                #expect(Self.ask(pipeline, request).refusal?.status == request.status, "\(source)")
                #expect(pipeline.decisionContext.observed == nil)
            }
        }
    }

    @Test(arguments: refused)
    func observeModeForwardsItAndNotesTheRefusal(request: Case) throws {
        for source in Self.sources {
            let pipeline = try Self.pipeline(.observe, .forward, source)
            let grant = try #require(Self.ask(pipeline, request).grant, "\(source)")
            let observed = try #require(pipeline.decisionContext.observed)
            #expect(observed.refusal.status == request.status && observed.line == 30)
            #expect(grant.outcome == .refused(observed.refusal.code))
            #expect(grant.signInLines.isEmpty && grant.caller == nil)
        }
    }

    @Test(arguments: taken)
    func otherHeadsGoToTheEndpoint(request: Case) throws {
        for source in Self.sources {
            for mode in [Tenant.Mode.enforce, .observe] {
                let pipeline = try Self.pipeline(mode, .forward, source)
                guard case .endpoint(.appleExchange) = Self.ask(pipeline, request) else {
                    Issue.record("\(source) \(mode)")
                    continue
                }
                #expect(pipeline.decisionContext.observed == nil)
            }
        }
    }

    /// Without a body it is a preflight request to the app, which the tenant's rules decide on.
    @Test func preflightOfAForwardedSignInFollowsTheRules() throws {
        for source in Self.sources {
            let pipeline = try Self.pipeline(.enforce, .forward, source)
            #expect(Self.ask(pipeline, Case(method: "OPTIONS")).refusal?.code == .missingToken)
        }
    }

    /// Another proxy sends only the head, and gets no advice about it.
    @Test func decisionQueryNamesTheEndpointWhateverTheHead() throws {
        for source in [RequestSource.forwardAuth, .extAuthz] {
            let pipeline = try Self.pipeline(.enforce, .forward, source)
            for request in [Case(method: "PUT"), Case(lines: ["Content-Encoding: gzip"]), Case()] {
                guard case .endpoint = Self.ask(pipeline, request) else {
                    Issue.record("\(source) \(request)")
                    continue
                }
            }
        }
    }

    @Test func bodyAboveTheTenantsLimitIsRefused() throws {
        for source in Self.sources {
            var tenant = try RequestPipeline.tenant(access: [try RequestPipeline.rule("/**", .anyone)])
            tenant.limits.bodyBytes = 10
            let pipeline = RequestPipeline([tenant])
            pipeline.decisionContext.source = source
            #expect(Self.ask(pipeline, Case(lines: ["Content-Length: 11"], target: "/x")).refusal?.status == 413)
            #expect(Self.ask(pipeline, Case(lines: ["Content-Length: 10"], target: "/x")).grant != nil)
        }
    }

    /// Those below `/.gatehouse`.
    private static let signals = ["/.gatehouse/signals", "/.gatehouse/backchannel-logout"]

    @Test(arguments: signals) func signalsGoToTheirEndpoint(_ target: String) throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant(mode: .enforce)])
        guard case .endpoint = Self.ask(pipeline, Case(target: target)) else {
            Issue.record("\(target) is not served")
            return
        }
        #expect(Self.ask(pipeline, Case(method: "GET", target: target)).refusal?.status == 405)
    }

    @Test(arguments: [
        "/.gatehouse/signals/x", "/.gatehouse/signal", "/.gatehouse//signals", "/.gatehouse/signals;a=b",
        "/.gatehouse/",
    ]) func otherPathsBelowGatehouseAreNotServed(_ target: String) throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant(mode: .enforce)])
        #expect(Self.ask(pipeline, Case(target: target)).refusal?.status == 404)
    }

    @Test(arguments: signals) func tenantThatTrustsNobodyElseHasNoSuchEndpoint(_ target: String) throws {
        var tenant = try RequestPipeline.tenant(mode: .enforce)
        tenant.authenticate.keySources = tenant.authenticate.keySources.map { _ in .builtIn(tenant: "app") }
        let pipeline = RequestPipeline([tenant])
        #expect(Self.ask(pipeline, Case(target: target)).refusal?.status == 404)
    }
}
