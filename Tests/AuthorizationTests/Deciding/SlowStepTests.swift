import NIOPosix
import Tenants
import Testing
import Time
import UpstreamTestSupport
import Verification

@testable import Authorization

/// Signature checks that are too slow to be made one after the other on an event loop.
struct SlowStepTests {
    /// The answers to checks of some cost at some time after a common start.
    private func answers(_ checks: [(cost: Double, after: Double)]) -> [Bool] {
        var budget = SlowCheckBudget()
        return checks.map { budget.allows($0.cost, at: RequestPipeline.now + $0.after) }
    }

    @Test func budgetIsSpentAndRestored() {
        let answers = answers([(0.000_9, 0), (0.000_2, 0), (0.000_5, 0.001), (0.000_5, 0.001)])
        #expect(answers == [true, false, true, false])
    }

    @Test func clockSetBackDoesNotChangeTheBudget() {
        #expect(answers([(0.000_6, 0), (0.000_6, -100), (0.000_3, -100)]) == [true, false, true])
    }

    @Test func aboutHalfOfTheTimeIsSpentAtMost() {
        var budget = SlowCheckBudget()
        var spent = 0.0
        for step in 0..<100_000 where budget.allows(0.000_6, at: RequestPipeline.now + Double(step) / 100_000) {
            spent += 0.000_6
        }
        #expect(spent > 0.45 && spent < 0.51)
    }

    @Test func onlyCostlyAlgorithmsHaveACost() {
        let costly = SignatureAlgorithm.allCases.filter { $0.slowCheckCost != nil }
        #expect(costly == [.es256, .es384, .es512, .edDSA])
    }

    private let key: SigningKey
    private let pipeline: RequestPipeline

    init() throws {
        key = try SigningKey.generate(.p256)
        var tenant = try RequestPipeline.tenant()
        let jwk = try #require(key.publicJWK(algorithm: .es256))
        tenant.authenticate.policy.issuers = [
            IssuerPolicy(issuer: RequestPipeline.issuer, algorithms: [.es256], keys: try KeySet(jwk: jwk))
        ]
        pipeline = RequestPipeline([tenant])
    }

    private func request(_ number: Int, breaking: Bool = false) throws -> [UInt8] {
        let claims: JSONObject = [
            "iss": .string(RequestPipeline.issuer), "sub": .string("user \(number)"),
            "exp": .number(JSONNumber(Int(RequestPipeline.now.seconds) + 600)),
        ]
        let token = try TokenSigner(key, algorithm: .es256).sign(claims)
        return RequestPipeline.request(
            "/",
            lines: ["Authorization: Bearer \(breaking ? String(token.dropLast(4)) + "AAAA" : token)"]
        )
    }

    /// Asks with new tokens until the budget is spent.
    private func firstSlowStep(breaking: Bool = false) throws -> (SignatureStep, [UInt8]) {
        for number in 0..<40 {
            let request = try request(number, breaking: breaking)
            if case .needs(.signature(let step)) = pipeline.ask(request, allowing: .all) { return (step, request) }
        }
        throw BudgetNeverSpent()
    }

    private struct BudgetNeverSpent: Error {}

    @Test func settledStepIsFoundByTheNextDecision() async throws {
        let (step, request) = try firstSlowStep()
        let outcome = await pipeline.slowVerifier.verify(step)
        pipeline.authorizer.authenticator.settle(step, outcome, pipeline.tenants[0])
        let hits = pipeline.authorizer.authenticator.cacheCounts.hits
        #expect(pipeline.ask(request, allowing: .all).grant?.caller != nil)
        #expect(pipeline.authorizer.authenticator.cacheCounts.hits == hits + 1)
    }

    @Test func settledFailureIsFoundByTheNextDecision() async throws {
        let (step, request) = try firstSlowStep(breaking: true)
        let outcome = await pipeline.slowVerifier.verify(step)
        pipeline.authorizer.authenticator.settle(step, outcome, pipeline.tenants[0])
        #expect(pipeline.ask(request, allowing: .all).refusal?.code == .invalidToken)
        #expect(pipeline.authorizer.authenticator.cacheCounts.refusedHits == 1)
    }

    @Test func resultOfRemovedKeysIsNotCached() async throws {
        let (step, request) = try firstSlowStep()
        let outcome = await pipeline.slowVerifier.verify(step)
        let other = try #require(SigningKey.generate(.p256).publicJWK(algorithm: .es256))
        #expect(pipeline.tenants[0].verification.use(try KeySet(jwk: other), from: .inline))
        pipeline.authorizer.authenticator.settle(step, outcome, pipeline.tenants[0])
        #expect(pipeline.ask(request, allowing: []).refusal?.code == .invalidToken)
    }

    @Test func decisionWithoutStepsIsImmediate() throws {
        let (_, request) = try firstSlowStep()
        #expect(pipeline.ask(request, allowing: []).grant?.caller != nil)
    }
}
