import Authorization
import TestSupport
import Testing
import Time
import UpstreamTestSupport
import Verification

@testable import SharedState
@testable import Tenants

/// Decisions about requests with opaque tokens.
struct OpaqueTokenDecisionTests {
    private static let token = "2YotnFZFEjr1zCsicMWpAA"
    private let pipeline: RequestPipeline

    init() throws {
        var tenant = try RequestPipeline.tenant()
        tenant.introspection = .test()
        pipeline = RequestPipeline([tenant])
    }

    private func step(_ decision: RequestPipeline.Outcome) throws -> IntrospectionStep {
        guard case .needs(.introspection(let step)) = decision else { throw NoQuestion() }
        return step
    }

    private struct NoQuestion: Error {}

    private func outcome(
        _ step: IntrospectionStep,
        _ claims: String = #""sub":"alice""#,
        cache: Double = 30,
        at now: UnixTime = RequestPipeline.now
    ) throws -> IntrospectionOutcome {
        let response = try #require(IntrospectionResponse(Array(#"{"active":true,\#(claims)}"#.utf8)))
        let principal = try response.principal(of: step.request.token, IntrospectionPolicy(issuer: "i"), at: now)
        return .active(principal, IntrospectionLifetime(cache: cache, asked: now))
    }

    private func settle(
        _ step: IntrospectionStep,
        _ outcome: IntrospectionOutcome,
        at now: UnixTime = RequestPipeline.now
    )
        -> IntrospectionFinding
    {
        pipeline.authorizer.authenticator.settle(step, outcome, pipeline.tenants[0], at: now)
    }

    private func get(_ token: String = token, allowing: AllowedSteps = .all, after seconds: Double = 0)
        -> RequestPipeline.Outcome
    {
        pipeline.ask(
            RequestPipeline.request("/", lines: ["Authorization: Bearer \(token)"]),
            allowing: allowing,
            at: RequestPipeline.now + seconds
        )
    }

    @Test func opaqueTokenIsIntrospectedThenCached() throws {
        let step = try step(get())
        #expect(step.request.token == Array(Self.token.utf8))
        #expect(!step.request.isAhead)
        _ = settle(step, try outcome(step))
        #expect(get().grant?.caller?.principal.subject == "alice")
        #expect(get(after: 29.9).grant?.caller != nil)
        #expect(throws: Never.self) { try self.step(get(after: 30)) }
    }

    /// Long tokens that all end alike, as a PASETO with a footer does, share no set of the cache.
    @Test func manyTokensWithTheSameEndAreAllCached() throws {
        let end = String(repeating: "e", count: 200)
        let tokens = (0..<40).map { "token-\($0 + 10)-\(end)" }
        for token in tokens {
            let step = try step(get(token))
            _ = settle(step, try outcome(step))
        }
        for token in tokens { #expect(get(token).grant?.caller != nil) }
    }

    @Test func introspectionResultExpires() throws {
        let step = try step(get())
        _ = settle(step, try outcome(step, #""sub":"a","exp":1799999950"#))
        #expect(get(after: 9.9).grant?.caller != nil)
        #expect(throws: Never.self) { try self.step(get(after: 10)) }
    }

    /// However short the time for which it is believed.
    @Test func waitingRequestIsDecidedByTheResponse() throws {
        let step = try step(get())
        let finding = settle(step, try outcome(step, cache: 0))
        #expect(throws: Never.self) { try self.step(get()) }
        pipeline.decisionContext.steps.introspected = finding
        #expect(get(allowing: .all.subtracting(.introspection)).grant?.caller?.principal.subject == "alice")
        // The pipeline takes a decision for which every step is open for that of a new request.
        let again = AllowedSteps.all.subtracting(.signature)
        #expect(get(allowing: again, after: 5).grant?.caller?.principal.subject == "alice")
        // Another token of the same request, and the next request, ask for themselves.
        #expect(throws: Never.self) { try self.step(get("another", allowing: again)) }
        pipeline.decisionContext.begin(pipeline.decisionContext.peer)
        #expect(throws: Never.self) { try self.step(get()) }
    }

    @Test func refusalIsCached() throws {
        let step = try step(get())
        _ = settle(step, .refused(.malformedOpaque, until: RequestPipeline.now + 5))
        #expect(get().refusal?.code == .invalidToken)
        #expect(get(after: 4.9).refusal?.status == 401)
        #expect(throws: Never.self) { try self.step(get(after: 5)) }
    }

    @Test func refusalReplacesACachedCaller() throws {
        let step = try step(get())
        _ = settle(step, try outcome(step))
        #expect(get().grant?.caller != nil)
        _ = settle(step, .refused(.malformedOpaque, until: RequestPipeline.now + 5))
        #expect(get().refusal?.code == .invalidToken)
    }

    @Test func failingServerIsNotAskedAgainAtOnce() throws {
        let step = try step(get())
        let finding = settle(step, .unavailable(retryAfterSeconds: 1, isForAll: true))
        _ = pipeline.tenants[0].verification.introspecting?.begin(step)
        pipeline.tenants[0].verification.introspecting?.ended(
            step,
            .unavailable(retryAfterSeconds: 1, isForAll: true),
            at: RequestPipeline.now
        )
        guard case .refused(let refusal) = finding.verdict else { throw NoQuestion() }
        #expect(refusal.code == .storeUnavailable)
        #expect(refusal.status == 503)
        #expect(refusal.retryAfterSeconds == 1)
        #expect(get().refusal == refusal)
        #expect(get(after: 0.9).refusal == refusal)
        #expect(throws: Never.self) { try self.step(get(after: 1)) }
    }

    @Test func tooManyIntrospectionsAreOverload() throws {
        let step = try step(get())
        let finding = settle(step, .overloaded)
        guard case .refused(let refusal) = finding.verdict else { throw NoQuestion() }
        #expect(refusal.code == .overloaded)
        #expect(refusal.status == 503)
        #expect(throws: Never.self) { try self.step(get()) }
    }

    private func capacity(_ introspecting: TenantIntrospecting, _ step: IntrospectionStep) -> Int {
        (0..<1000).prefix { _ in introspecting.begin(step) }.count
    }

    @Test func waitingIntrospectionsAreBounded() throws {
        let introspecting = try #require(pipeline.tenants[0].verification.introspecting)
        let step = try step(get())
        #expect(capacity(introspecting, step) == 256)
        introspecting.ended(step, .overloaded, at: RequestPipeline.now)
        #expect(capacity(introspecting, step) == 1)
    }

    /// However many requests wait for the result of one unknown token.
    @Test func halfOfTheCapacityIsForKnownTokens() throws {
        let introspecting = try #require(pipeline.tenants[0].verification.introspecting)
        let (good, unknown) = (try step(get()), try step(get("unknown")))
        #expect(capacity(introspecting, good) == 256)
        introspecting.ended(good, try outcome(good), at: RequestPipeline.now)
        #expect(capacity(introspecting, unknown) == 1)
        #expect(capacity(introspecting, good) == 256)
        // It is good no longer.
        introspecting.ended(good, .refused(.malformedOpaque, until: RequestPipeline.now + 5), at: RequestPipeline.now)
        #expect(capacity(introspecting, good) == 0)
    }

    /// Once, by the first request; none waits for it.
    @Test func tokenIsIntrospectedAgainBeforeExpiry() throws {
        let step = try step(get())
        _ = settle(step, try outcome(step))
        #expect(get(after: 23.9).grant != nil)
        #expect(pipeline.authorizer.authenticator.takeDueIntrospections().isEmpty)
        #expect(get(after: 24).grant != nil)
        #expect(get(after: 25).grant != nil)
        let due = pipeline.authorizer.authenticator.takeDueIntrospections()
        #expect(due.map(\.request.token) == [step.request.token])
        #expect(due.map(\.request.isAhead) == [true])
        #expect(due.map(\.key.hash.0) == [step.key.hash.0])
        #expect(pipeline.authorizer.authenticator.takeDueIntrospections().isEmpty)
        let again = try #require(due.first)
        _ = settle(again, try outcome(again, at: RequestPipeline.now + 25), at: RequestPipeline.now + 25)
        #expect(get(after: 54).grant?.caller?.principal.subject == "alice")
    }

    @Test func signedTokenIsNotIntrospected() throws {
        #expect(get(try RequestPipeline.token()).grant?.caller?.principal.subject == "alice")
        #expect(get(try RequestPipeline.token(forged: true)).refusal?.code == .invalidToken)
        #expect(get("eyJhbGciOiJub25lIn0.e30.").refusal?.code == .invalidToken)
        // `{ "alg"`: servers may write white space.
        #expect(get("eyAiYWxnIjoiUlMyNTYifQ.e30.c2ln").refusal?.code == .invalidToken)
    }

    @Test(arguments: ["a=b", "a\"b", "a,b", "=", String(repeating: "a", count: 16_385)])
    func malformedTokenIsNotIntrospected(token: String) {
        #expect(get(token).refusal?.code == .invalidToken)
    }

    @Test func opaqueTokensAreInvalidWithoutIntrospection() throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant()])
        #expect(pipeline.get("/", token: Self.token).refusal?.detail == "the token is not a compact JWS of three parts")
    }

    @Test func tenantWithoutIssuersRefusesSignedTokens() throws {
        var tenant = try RequestPipeline.tenant()
        tenant.introspection = .test()
        tenant.authenticate = Authentication(policy: VerificationPolicy(issuers: []))
        let pipeline = RequestPipeline([tenant])
        #expect(
            pipeline.get("/", token: try RequestPipeline.token()).refusal?.detail
                == "the token's issuer is not trusted here"
        )
        #expect(throws: Never.self) { try step(pipeline.get("/", token: Self.token)) }
    }

    @Test func expiredOpaqueTokenIsNotRefreshed() throws {
        var tenant = try RequestPipeline.tenant()
        tenant.introspection = .test()
        let pointer = try #require(JSONPointer("/token"))
        tenant.refresh = RefreshRules(
            grace: .seconds(3600),
            call: RefreshCall(strategy: .bearer, target: .backend(path: "/refresh"), accessToken: pointer),
            delivery: RefreshDelivery(header: "X-Refreshed-Token")
        )
        let pipeline = RequestPipeline([tenant])
        let step = try step(pipeline.get("/", token: Self.token))
        let outcome = try outcome(step, #""sub":"a","exp":1800000010"#, cache: 3600)
        _ = pipeline.authorizer.authenticator.settle(step, outcome, pipeline.tenants[0], at: RequestPipeline.now)
        #expect(pipeline.get("/", token: Self.token, at: RequestPipeline.now + 69).grant != nil)
        #expect(throws: Never.self) {
            try self.step(pipeline.get("/", token: Self.token, at: RequestPipeline.now + 70))
        }
    }
}
