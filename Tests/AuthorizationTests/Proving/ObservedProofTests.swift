import Authorization
import Store
import Testing
import UpstreamTestSupport
import Verification

@testable import SharedState
@testable import Tenants

/// Bound tokens without a valid proof while proofs are only observed: other checks apply, and no identity is forwarded.
struct ObservedProofTests {
    private static func pipeline(
        access: [AccessRule] = [],
        changing: (inout Tenant) throws -> Void = { _ in }
    ) throws -> ProofPipeline {
        try ProofPipeline(ProofRules(mode: .observe, line: 12), access: access, changing: changing)
    }

    /// Ways to send a bound token that prove nothing.
    private static func unproven(_ token: String) -> [[String]] {
        [ProofPipeline.lines(token), ProofPipeline.lines(token, "x.y.z"), ["Authorization: Bearer \(token)"]]
    }

    @Test func rolesAndScopesAreStillChecked() async throws {
        let pipeline = try Self.pipeline(access: [
            try RequestPipeline.rule("/admin/**", .signedIn(roles: ["admin"], scopes: [])),
            try RequestPipeline.rule("/write/**", .signedIn(roles: [], scopes: ["delete"])),
            try RequestPipeline.rule("/orders/**", .signedIn(roles: ["customer"], scopes: ["read"])),
        ])
        for lines in Self.unproven(try pipeline.token()) {
            #expect(try await pipeline.refusal(lines, path: "/admin/x")?.code == .insufficientRole)
            #expect(try await pipeline.refusal(lines, path: "/write/x")?.code == .insufficientScope)
            let grant = try #require(try await pipeline.answer(lines, path: "/orders/x").grant)
            #expect(grant.caller == nil && grant.signsOut == nil && !grant.needsCaller)
            #expect(grant.outcome == .refused(.invalidToken))
            #expect(pipeline.pipeline.decisionContext.observed?.line == 12)
        }
    }

    @Test func expiredTokenIsRefused() async throws {
        let pipeline = try Self.pipeline(changing: { tenant in
            tenant.refresh = try SampleRenewal.rules(grace: .seconds(3600))
        })
        for lines in Self.unproven(try pipeline.expiredToken()) {
            #expect(try await pipeline.refusal(lines) == .tokenExpired)
        }
        for lines in Self.unproven(try RequestPipeline.token(["cnf": ["jkt": "x"]], forged: true)) {
            #expect(try await pipeline.refusal(lines)?.code == .invalidToken)
        }
    }

    @Test func limitsOfTheSubjectApply() async throws {
        let pipeline = try Self.pipeline(changing: { tenant in
            tenant.rateLimits = [RateLimit(key: .subject, count: 1, period: .seconds(10), burst: 2)]
        })
        let lines = ProofPipeline.lines(try pipeline.token())
        for _ in 0..<2 { #expect(try await pipeline.answer(lines).grant != nil) }
        #expect(try await pipeline.refusal(lines)?.code == .rateLimited)
    }

    @Test func revokedTokenIsRefused() async throws {
        let pipeline = try Self.pipeline()
        var set = pipeline.pipeline.tenants[0].revocations.set
        let entry = RevocationEntry(revokedAt: RequestPipeline.now, expiresAt: .distantFuture, version: 1)
        _ = set.apply(entry, for: RevocationDigest(.session("s1")))
        pipeline.pipeline.tenants[0].revocations.use(set)
        let token = try RequestPipeline.token(["cnf": ["jkt": .string(pipeline.thumbprint)], "sid": "s1"])
        for lines in Self.unproven(token) {
            #expect(try await pipeline.refusal(lines) == .tokenRevoked)
        }
    }

    @Test func openPathHasNoCaller() async throws {
        let pipeline = try Self.pipeline(access: [try RequestPipeline.rule("/**", .anyone)])
        for token in [try pipeline.token(), try pipeline.expiredToken()] {
            for lines in Self.unproven(token) {
                let grant = try #require(try await pipeline.answer(lines).grant)
                #expect(grant.caller == nil && grant.outcome == .anonymous)
            }
        }
    }

    @Test func provenTokenHasItsCaller() async throws {
        let pipeline = try Self.pipeline()
        let token = try pipeline.token()
        let decision = try await pipeline.answer(ProofPipeline.lines(token, try pipeline.proof(for: token)))
        #expect(decision.grant?.caller?.principal.subject == "alice")
        #expect(decision.grant?.outcome == .granted)
    }

    // MARK: Signing out

    /// Forwarded without an identity it would leave the session alive, unnoticed.
    @Test(arguments: [Tenant.Mode.enforce, .observe])
    func signOutWithInvalidProofIsRefused(mode: Tenant.Mode) async throws {
        let access = [try RequestPipeline.rule("/**", .anyone)]
        let pipeline = try ProofPipeline(ProofRules(mode: mode, line: 12), access: access) { tenant in
            tenant.revokeOn = [RevokeRule(method: "POST", path: try PathPattern("/logout"))]
        }
        let token = try pipeline.token()
        let lines = ProofPipeline.lines(token)
        let refusal = try await pipeline.refusal(lines, path: "/logout", method: "POST")
        #expect(refusal?.proofError == .invalidProof)
        #expect(try await pipeline.answer(lines, path: "/other", method: "POST").grant != nil)
        #expect(try await pipeline.answer([], path: "/logout", method: "POST").grant != nil)
        let proof = try pipeline.proof(for: token, changing: ["htm": "POST", "htu": "http://app.test/logout"])
        let good = try await pipeline.answer(ProofPipeline.lines(token, proof), path: "/logout", method: "POST")
        #expect(good.grant?.signsOut?.first?.principal.subject == "alice")
    }
}
