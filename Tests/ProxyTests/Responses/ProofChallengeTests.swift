import HTTPCore
import NIOCore
import Proxy
import TestSupport
import Testing
import Time
import UpstreamTestSupport
import Verification

@testable import Authorization
@testable import Tenants

/// The challenge to a refused client (RFC 9449 section 7.1).
struct ProofChallengeTests {
    private func challenges(_ refusal: Refusal, _ rules: ProofRules?, fields: [HeaderField] = []) throws -> [String] {
        let context = RefusalContext(
            realm: "app",
            proofs: rules.map { ProofChallenge($0) },
            requestID: RequestPipeline.requestID,
            fields: fields
        )
        var out = ByteBuffer()
        _ = GatewayResponse(refusal, context).write(
            isHead: false,
            minorVersion: 1,
            stays: true,
            date: HTTPDate.text(784_111_777),
            to: &out
        )
        return try #require(ResponseOutcome.parse(Array(out.readableBytesView)).reading).values("WWW-Authenticate")
    }

    private let optional = ProofRules(need: .optional)

    @Test func requiredProofGetsDPoPChallenge() throws {
        let algorithms = "algs=\"ES256 EdDSA\""
        #expect(try challenges(.missingToken, ProofRules()) == ["DPoP realm=\"app\", \(algorithms)"])
        let expired = "DPoP realm=\"app\", error=\"invalid_token\", error_description=\"the token has expired\""
        #expect(try challenges(.tokenExpired, ProofRules()) == ["\(expired), \(algorithms)"])
        let bad = "DPoP realm=\"app\", error=\"invalid_dpop_proof\", error_description=\"why\""
        #expect(try challenges(.badProof("why"), ProofRules()) == ["\(bad), \(algorithms)"])
        let nonce = "DPoP realm=\"app\", error=\"use_dpop_nonce\", error_description=\"why\""
        #expect(try challenges(.badProof("why", .nonceNeeded), ProofRules()) == ["\(nonce), \(algorithms)"])
        let lacking = Refusal(.insufficientScope, status: 403, detail: "scopes", neededScopes: ["a", "b"])
        #expect(
            try challenges(lacking, ProofRules(algorithms: [.es384])) == [
                "DPoP realm=\"app\", error=\"insufficient_scope\", error_description=\"scopes\", scope=\"a b\", "
                    + "algs=\"ES384\""
            ]
        )
    }

    @Test func optionalProofGetsBothChallenges() throws {
        let missing = try challenges(.missingToken, optional)
        #expect(missing == ["Bearer realm=\"app\"", "DPoP realm=\"app\", algs=\"ES256 EdDSA\""])
        // An invalid proof gets only the DPoP challenge.
        let bad = try challenges(.badProof("why"), optional)
        #expect(bad.count == 1)
        #expect(bad.first?.hasPrefix("DPoP realm=\"app\", error=\"invalid_dpop_proof\"") == true)
        let expired = try challenges(.tokenExpired, optional)
        #expect(expired.count == 2 && expired.allSatisfy { $0.contains("error=\"invalid_token\"") })
    }

    /// Two that differ would be ambiguous.
    @Test func endpointChallengeReplacesOthers() throws {
        let invalid = Refusal(.invalidToken, status: 401, detail: "why")
        let own = "DPoP realm=\"app\", error=\"use_dpop_nonce\""
        let fields = [HeaderField.noStore, HeaderField("WWW-Authenticate", own)]
        for rules in [optional, ProofRules(), nil] {
            #expect(try challenges(invalid, rules, fields: fields) == [own])
            let others = [HeaderField.noStore, HeaderField("DPoP-Nonce", "n")]
            #expect(try challenges(invalid, rules, fields: others).count == (rules?.need == .optional ? 2 : 1))
        }
    }

    @Test func noDPoPGetsBearerChallengeOnly() throws {
        #expect(try challenges(.missingToken, nil) == ["Bearer realm=\"app\""])
    }
}
