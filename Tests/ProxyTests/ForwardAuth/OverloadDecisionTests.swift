import NIOCore
import Proxy
import ProxyTestSupport
import Testing
import Time
import UpstreamTestSupport
import Verification

@testable import Authorization
@testable import Tenants

/// Requests whose slow step is refused, as too many wait.
struct OverloadDecisionTests {
    private static func tenant(mode: Tenant.Mode = .enforce) throws -> Tenant {
        let observed = AccessRule(
            path: try PathPattern("/soon/**"),
            allow: .signedIn(roles: [], scopes: []),
            mode: .observe,
            line: 9
        )
        return try RequestPipeline.tenant(
            access: [try RequestPipeline.rule("/open/**", .anyone), observed],
            mode: mode
        )
    }

    /// - Parameter withoutCapacity: The steps that could not be taken.
    private static func ask(_ pipeline: RequestPipeline, _ path: String, withoutCapacity: AllowedSteps) throws
        -> RequestPipeline.Outcome
    {
        pipeline.decisionContext.begin(pipeline.decisionContext.peer)
        pipeline.decisionContext.steps.withoutCapacity = withoutCapacity
        let lines = ["Authorization: Bearer \(try RequestPipeline.token())"]
        return pipeline.ask(RequestPipeline.request(path, lines: lines), allowing: .all.subtracting(withoutCapacity))
    }

    @Test(arguments: [AllowedSteps.signature, .keys, .introspection, .refresh])
    func requiredCallerIsRefusedUnderOverload(step: AllowedSteps) throws {
        let pipeline = RequestPipeline([try Self.tenant()])
        #expect(try Self.ask(pipeline, "/orders", withoutCapacity: step).refusal == .overloaded)
        pipeline.decisionContext.begin(pipeline.decisionContext.peer)
        #expect(pipeline.get("/orders", token: try RequestPipeline.token()).grant?.caller != nil)
    }

    @Test func optionalCallerIsAnonymousUnderOverload() throws {
        let pipeline = RequestPipeline([try Self.tenant()])
        let open = try #require(try Self.ask(pipeline, "/open/x", withoutCapacity: .signature).grant)
        #expect(open.caller == nil && open.outcome == .anonymous)
        let soon = try #require(try Self.ask(pipeline, "/soon/x", withoutCapacity: .signature).grant)
        #expect(soon.caller == nil && soon.outcome == .refused(.overloaded))
        let observing = RequestPipeline([try Self.tenant(mode: .observe)])
        let observed = try #require(try Self.ask(observing, "/orders", withoutCapacity: .signature).grant)
        #expect(observed.caller == nil && observed.outcome == .refused(.overloaded))
    }

    @Test func missingProofCapacityMattersOnlyForBoundTokens() throws {
        let pipeline = try ProofPipeline(
            ProofRules(need: .optional),
            access: [try RequestPipeline.rule("/open/**", .anyone)]
        )
        #expect(try Self.ask(pipeline.pipeline, "/orders", withoutCapacity: .proof).grant?.caller != nil)
        let token = try pipeline.token()
        for (path, isOpen) in [("/orders", false), ("/open/x", true)] {
            let proof = try pipeline.proof(for: token, changing: ["htu": .string("http://app.test\(path)")])
            pipeline.pipeline.decisionContext.begin(pipeline.pipeline.decisionContext.peer)
            pipeline.pipeline.decisionContext.steps.withoutCapacity = .proof
            let bytes = RequestPipeline.request(path, lines: ProofPipeline.lines(token, proof))
            let answer = pipeline.pipeline.ask(bytes, allowing: .all.subtracting(.proof))
            #expect(answer.refusal == (isOpen ? nil : .overloaded))
            #expect((answer.grant != nil) == isOpen && answer.grant?.caller == nil)
        }
    }

    /// A decision query whose keys too many requests wait for already.
    @Test func queryIsDecidedWithoutSlowStep() throws {
        let source = RemoteKeySource(location: .keySet(url: "https://id.test/keys"))
        var tenant = try RequestPipeline.tenant(access: [try RequestPipeline.rule("/open/**", .anyone)])
        tenant.authenticate = Authentication(
            policy: VerificationPolicy(issuers: [
                IssuerPolicy(issuer: RequestPipeline.issuer, algorithms: [.rs256], keys: nil)
            ]),
            keySources: [.remote(source)]
        )
        let key = try SigningKey.generate(.rsa(bits: 2048))
        let claims: JSONObject = [
            "iss": .string(RequestPipeline.issuer), "sub": "alice",
            "exp": .number(JSONNumber(Int(Clock.unix().seconds) + 600)),
        ]
        let token = try TokenSigner(key, algorithm: .rs256, keyID: key.thumbprint).sign(claims)
        // There is no response while the test runs.
        let fixture = EmbeddedWorker([tenant]) { _, _ in
            try? await Task.sleep(for: .seconds(86_400))
            return .nothingNew
        }
        var outcomes: [String: String] = [:]
        func ask(_ path: String) {
            let bytes = RequestPipeline.request(path, lines: ["Authorization: Bearer \(token)"])
            DecisionQuery(ByteBuffer(bytes: bytes), DecisionContext(source: RequestSource()), worker: fixture.worker) {
                verdict,
                _ in
                switch verdict {
                case .granted(let grant): outcomes[path] = grant.caller == nil ? "nobody" : "somebody"
                case .refused(let refusal, _): outcomes[path] = refusal.code.rawValue
                case .preflight, .redirect, .endpoint, .pending: outcomes[path] = "something else"
                }
            }
            .begin()
        }
        for number in 0..<128 { ask("/open/\(number)") }
        #expect(outcomes.isEmpty)
        ask("/open/last")
        ask("/orders")
        #expect(outcomes == ["/open/last": "nobody", "/orders": "overloaded"])
    }
}
