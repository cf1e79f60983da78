import Store
import Testing
import UpstreamTestSupport
import Verification

@testable import Authorization
@testable import Tenants

/// Tokens that are bound to a key: what an attacker may try, and what an honest client may do.
struct BoundTokenTests {
    private func expectProofRefused(_ refusal: Refusal?, _ detail: String, error: ProofError = .invalidProof) {
        #expect(refusal?.code == .invalidToken)
        #expect(refusal?.status == 401)
        #expect(refusal?.detail == detail)
        #expect(refusal?.proofError == error)
    }

    @Test func validProofIsAccepted() async throws {
        let pipeline = try ProofPipeline()
        let token = try pipeline.token()
        let decision = try await pipeline.answer(ProofPipeline.lines(token, try pipeline.proof(for: token)))
        #expect(decision.grant?.caller?.principal.subject == "alice")
        #expect(pipeline.settled == 1)
    }

    @Test(arguments: ["dpop", "DPOP", "dPoP"])
    func schemeIsCaseInsensitive(scheme: String) async throws {
        let pipeline = try ProofPipeline()
        let token = try pipeline.token()
        let lines = ProofPipeline.lines(token, try pipeline.proof(for: token), scheme: scheme)
        #expect(try await pipeline.answer(lines).grant != nil)
    }

    @Test func stolenTokenWithoutProofIsRefused() async throws {
        let pipeline = try ProofPipeline()
        expectProofRefused(
            try await pipeline.refusal(ProofPipeline.lines(try pipeline.token())),
            "the request has no DPoP proof"
        )
    }

    @Test func stolenTokenWithAnotherKeyIsRefused() async throws {
        let pipeline = try ProofPipeline()
        let token = try pipeline.token()
        let proof = try pipeline.proof(for: token, key: try SigningKey.generate(.p256))
        expectProofRefused(
            try await pipeline.refusal(ProofPipeline.lines(token, proof)),
            "the DPoP proof is of another key than the token is bound to"
        )
        #expect(pipeline.settled == 0)
    }

    @Test func forgedSignatureIsRefused() async throws {
        let pipeline = try ProofPipeline()
        let token = try pipeline.token()
        let parts = try pipeline.proof(for: token).split(separator: ".")
        let other = try pipeline.proof(for: token, changing: ["jti": "other"]).split(separator: ".")
        let forged = "\(parts[0]).\(parts[1]).\(other[2])"
        expectProofRefused(
            try await pipeline.refusal(ProofPipeline.lines(token, forged)),
            "the DPoP proof's signature is not good"
        )
        // Nobody uses up the proofs of another.
        #expect(try await pipeline.answer(ProofPipeline.lines(token, try pipeline.proof(for: token))).grant != nil)
    }

    @Test func proofIsUsedOnce() async throws {
        let pipeline = try ProofPipeline()
        let token = try pipeline.token()
        let lines = ProofPipeline.lines(token, try pipeline.proof(for: token))
        #expect(try await pipeline.answer(lines).grant != nil)
        expectProofRefused(try await pipeline.refusal(lines), "the DPoP proof was used before")
    }

    @Test func twoProofsAreRefused() async throws {
        let pipeline = try ProofPipeline()
        let token = try pipeline.token()
        let proof = try pipeline.proof(for: token)
        expectProofRefused(
            try await pipeline.refusal(ProofPipeline.lines(token, proof, proof)),
            "the request has several DPoP proofs"
        )
        expectProofRefused(
            try await pipeline.refusal(ProofPipeline.lines(token, proof + "," + proof)),
            "the DPoP proof is not a strict JWS with a claims set"
        )
    }

    @Test(
        arguments: [
            ("htm", .string("POST"), "the DPoP proof is for another method"),
            ("htm", .string("get"), "the DPoP proof is for another method"),
            ("htu", .string("http://app.test/order"), "the DPoP proof is for another URL"),
            ("htu", .string("https://app.test/orders"), "the DPoP proof is for another URL"),
            ("htu", .string("http://other.test/orders"), "the DPoP proof is for another URL"),
            ("htu", .string("http://app.test/\u{f6}rders"), "the DPoP proof is for another URL"),
            ("ath", .string(Base64URL.encode(SHA256.digest([1]))), "the DPoP proof is for another token"),
            ("ath", nil, "the DPoP proof has no ath"),
            ("iat", .number(JSONNumber(Int(RequestPipeline.now.seconds) - 61)), "the DPoP proof is too old"),
            (
                "iat", .number(JSONNumber(Int(RequestPipeline.now.seconds) + 61)),
                "the DPoP proof was issued in the future"
            ),
            ("jti", nil, "the DPoP proof has no jti"),
        ] as [(String, JSONValue?, String)]
    )
    func proofForAnotherRequestIsRefused(claim: String, value: JSONValue?, detail: String) async throws {
        let pipeline = try ProofPipeline()
        let token = try pipeline.token()
        let proof = try pipeline.proof(for: token, changing: [claim: value])
        expectProofRefused(try await pipeline.refusal(ProofPipeline.lines(token, proof)), detail)
        #expect(pipeline.settled == 0)
    }

    @Test(arguments: [
        "http://app.test/orders?page=2", "HTTP://APP.test:80/orders#top", "http://app.test/x/../orders",
        "http://app.test/%6frders",
    ])
    func equivalentURLIsAccepted(url: String) async throws {
        let pipeline = try ProofPipeline()
        let token = try pipeline.token()
        let proof = try pipeline.proof(for: token, changing: ["htu": .string(url)])
        #expect(try await pipeline.answer(ProofPipeline.lines(token, proof)).grant != nil)
    }

    @Test func boundTokenAsBearerIsRefused() async throws {
        let pipeline = try ProofPipeline(from: [.bearer, .cookie(name: "session"), .header(name: "x-token")])
        let token = try pipeline.token()
        let proof = "DPoP: \(try pipeline.proof(for: token))"
        let wrong = ["Authorization: Bearer \(token)", "Cookie: session=\(token)", "X-Token: \(token)"]
        for place in wrong {
            #expect(try await pipeline.refusal([place, proof]) == .boundTokenAsBearer, "\(place.prefix(12))")
            #expect(try await pipeline.refusal([place]) == .boundTokenAsBearer)
        }
        #expect(pipeline.settled == 0)
    }

    @Test func bothSchemesAtOnceAreRefused() async throws {
        let pipeline = try ProofPipeline()
        let token = try pipeline.token()
        let lines = ProofPipeline.lines(token, try pipeline.proof(for: token)) + ["Authorization: Bearer \(token)"]
        #expect(try await pipeline.refusal(lines)?.code == .badRequest)
    }

    @Test func boundTokenIsRefusedWithoutDPoP() async throws {
        let pipeline = try ProofPipeline(nil)
        let token = try pipeline.token()
        #expect(try await pipeline.refusal(["Authorization: Bearer \(token)"]) == .boundTokenUnknown)
        let lines = ProofPipeline.lines(token, try pipeline.proof(for: token))
        #expect(try await pipeline.refusal(lines)?.code == .missingToken)
    }

    @Test func unboundTokenIsDecidedByNeed() async throws {
        let plain = try RequestPipeline.token()
        let required = try ProofPipeline()
        #expect(try await required.refusal(["Authorization: Bearer \(plain)"]) == .unboundToken)
        let optional = try ProofPipeline(ProofRules(need: .optional))
        #expect(try await optional.answer(["Authorization: Bearer \(plain)"]).grant?.caller != nil)
        for pipeline in [required, optional] {
            let lines = ProofPipeline.lines(plain, try pipeline.proof(for: plain))
            #expect(try await pipeline.refusal(lines) == .bearerTokenWithProof)
        }
    }

    @Test(arguments: [["jwk": [:]], .null, ["jkt": "x"]] as [JSONValue])
    func unknownConfirmationIsRefused(cnf: JSONValue) async throws {
        for pipeline in [try ProofPipeline(), try ProofPipeline(nil)] {
            let token = try RequestPipeline.token(["cnf": cnf])
            #expect(try await pipeline.refusal(["Authorization: Bearer \(token)"]) == .unknownConfirmation)
        }
    }

    /// The token is checked first, so that the proof can be used for the next try.
    @Test func invalidTokenUsesUpNoProof() async throws {
        let pipeline = try ProofPipeline()
        let token = try RequestPipeline.token(["cnf": ["jkt": .string(pipeline.thumbprint)]], forged: true)
        #expect(
            try await pipeline.refusal(ProofPipeline.lines(token, try pipeline.proof(for: token)))?.proofError == nil
        )
        #expect(pipeline.settled == 0)
    }

    @Test func invalidProofIsIgnoredOnOpenPaths() async throws {
        let pipeline = try ProofPipeline(access: [try RequestPipeline.rule("/**", .anyone)])
        let token = try pipeline.token()
        let stolen = try await pipeline.answer(ProofPipeline.lines(token))
        #expect(stolen.grant != nil && stolen.grant?.caller == nil)
        let honest = try await pipeline.answer(ProofPipeline.lines(token, try pipeline.proof(for: token)))
        #expect(honest.grant?.caller?.principal.subject == "alice")
    }

    @Test func observedProofFailureIsForwarded() async throws {
        let pipeline = try ProofPipeline(ProofRules(mode: .observe, line: 12))
        let plain = try await pipeline.answer(["Authorization: Bearer \(try RequestPipeline.token())"])
        #expect(plain.grant?.caller?.principal.subject == "alice")
        #expect(pipeline.pipeline.decisionContext.observed?.refusal == .unboundToken)
        #expect(pipeline.pipeline.decisionContext.observed?.line == 12)
        // A request without a valid proof passes, but without an identity.
        let stolen = try await pipeline.answer(ProofPipeline.lines(try pipeline.token()))
        #expect(stolen.grant != nil && stolen.grant?.caller == nil)
        #expect(stolen.grant?.outcome == .refused(.invalidToken))
        #expect(pipeline.pipeline.decisionContext.observed?.line == 12)
    }

    @Test func rehearsalUsesUpNoProof() async throws {
        let pipeline = try ProofPipeline()
        let token = try pipeline.token()
        let lines = ProofPipeline.lines(token, try pipeline.proof(for: token))
        pipeline.pipeline.decisionContext.source.isRehearsal = true
        for _ in 0..<3 { #expect(try await pipeline.answer(lines).grant != nil) }
        #expect(pipeline.settled == 0)
        pipeline.pipeline.decisionContext.source.isRehearsal = false
        #expect(try await pipeline.answer(lines).grant != nil)
        #expect(pipeline.settled == 1)
    }

    /// A proof that could not be checked is not checked again in the same request.
    @Test func uncheckedProofIsRefused() throws {
        let pipeline = try ProofPipeline()
        let token = try pipeline.token()
        let bytes = RequestPipeline.request(
            "/orders",
            lines: ProofPipeline.lines(token, try pipeline.proof(for: token))
        )
        #expect(pipeline.pipeline.ask(bytes, allowing: []).refusal == .proofMemoryUnavailable)
    }

    /// A token that a refresh has put in the place of the old one must be of the same key.
    @Test func proofOfAnotherKeyIsRefused() async throws {
        let pipeline = try ProofPipeline()
        let token = try pipeline.token()
        let lines = ProofPipeline.lines(token, try pipeline.proof(for: token))
        #expect(try await pipeline.answer(lines).grant != nil)
        let other = try SigningKey.generate(.p256).thumbprint ?? ""
        let foreign = try RequestPipeline.token(["cnf": ["jkt": .string(other)]])
        let bytes = RequestPipeline.request(
            "/orders",
            lines: ProofPipeline.lines(foreign, try pipeline.proof(for: token))
        )
        let refusal = pipeline.pipeline.ask(bytes, allowing: .all.subtracting([.refresh, .proof])).refusal
        expectProofRefused(refusal, "the DPoP proof is of another key than the token is bound to")
        let fresh = try RequestPipeline.token([
            "cnf": ["jkt": .string(pipeline.thumbprint)], "sub": "alice", "jti": "new",
        ])
        let renewed = RequestPipeline.request(
            "/orders",
            lines: ProofPipeline.lines(fresh, try pipeline.proof(for: token))
        )
        #expect(pipeline.pipeline.ask(renewed, allowing: .all.subtracting([.refresh, .proof])).grant != nil)
    }
}
