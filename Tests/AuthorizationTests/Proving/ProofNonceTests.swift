import Authorization
import HTTPCore
import Testing
import Time
import UpstreamTestSupport
import Verification

@testable import Tenants

/// Nonces of the gateway's own (RFC 9449 section 9).
struct ProofNonceTests {
    private let pipeline: ProofPipeline
    private let nonces: ProofNonces

    init() throws {
        pipeline = try ProofPipeline(ProofRules(nonce: true))
        nonces = try #require(pipeline.pipeline.tenants[0].proving?.nonces)
    }

    private func answer(_ nonce: String?, jti: String = "n", at now: UnixTime = RequestPipeline.now) async throws
        -> RequestPipeline.Outcome
    {
        let token = try pipeline.token()
        let proof = try pipeline.proof(
            for: token,
            changing: [
                "jti": .string(jti), "nonce": nonce.map(JSONValue.string), "iat": .number(JSONNumber(Int(now.seconds))),
            ]
        )
        return try await pipeline.answer(ProofPipeline.lines(token, proof), at: now)
    }

    private func offered(_ refusal: Refusal?) throws -> String {
        let field = try #require(refusal?.fields.first)
        try #require(field.isNamed("DPoP-Nonce"))
        return String(decoding: field.value, as: UTF8.self)
    }

    @Test func proofWithoutNonceGetsOne() async throws {
        let refusal = try await answer(nil).refusal
        #expect(refusal?.proofError == .nonceNeeded)
        #expect(refusal?.code == .invalidToken)
        let nonce = try offered(refusal)
        #expect(nonces.isGood(nonce, at: RequestPipeline.now))
        #expect(try await answer(nonce).grant != nil)
        #expect(pipeline.pipeline.decisionContext.freshNonce == nil)
    }

    @Test func requestWithoutProofGetsANonce() async throws {
        let refusal = try await pipeline.refusal(ProofPipeline.lines(try pipeline.token()))
        #expect(refusal?.proofError == .invalidProof)
        #expect(nonces.isGood(try offered(refusal), at: RequestPipeline.now))
    }

    @Test func forgedOrOldNonceIsRefused() async throws {
        let old = nonces.make(at: RequestPipeline.now - 301)
        for nonce in [ProofNonces().make(at: RequestPipeline.now), old, "x", ""] {
            #expect(try await answer(nonce).refusal?.proofError == .nonceNeeded)
        }
        #expect(pipeline.settled == 0)
    }

    @Test func agingNonceIsReplaced() async throws {
        let nonce = nonces.make(at: RequestPipeline.now)
        #expect(try await answer(nonce, jti: "a", at: RequestPipeline.now + 150).grant != nil)
        #expect(pipeline.pipeline.decisionContext.freshNonce == nil)
        #expect(try await answer(nonce, jti: "b", at: RequestPipeline.now + 200).grant != nil)
        let fresh = try #require(pipeline.pipeline.decisionContext.freshNonce)
        #expect(nonces.isGood(fresh, at: RequestPipeline.now + 500))
    }
}
