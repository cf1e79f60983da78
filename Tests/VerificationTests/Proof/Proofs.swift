import Time
import Verification

/// Proofs as an honest client makes them, and whatever else a test asks for.
enum Proofs {
    static let now = VerificationFixture.now
    static let target = "https://api.example/orders"
    static let token = Array("the.access.token".utf8)

    static var claims: JSONObject {
        [
            "jti": "proof-1", "htm": "GET", "htu": .string(target), "iat": .number(JSONNumber(Int(now.seconds))),
            "ath": .string(Base64URL.encode(SHA256.digest(token))),
        ]
    }

    /// A good proof, changed as the arguments say, then signed with the real key.
    static func text(
        _ algorithm: SignatureAlgorithm = .es256,
        header: JSONObject = [:],
        changing: KeyValuePairs<String, JSONValue?> = [:]
    ) throws -> String {
        var claims = claims
        for (name, value) in changing { claims[name] = value }
        return try ProofSigner(VerificationFixture.key(for: algorithm), algorithm: algorithm).sign(
            claims,
            header: header
        )
    }

    static func parse(_ text: String) throws(DPoPFailure) -> DPoPProof {
        try DPoPProof.parse(Array(text.utf8).span)
    }

    /// Why a proof is not one for the request; nil if it is.
    static func refusal(
        of text: String,
        at now: UnixTime = now,
        _ change: (inout DPoPExpectation) -> Void = { _ in }
    ) -> DPoPFailure? {
        var expectation = DPoPExpectation(
            method: "GET",
            target: target,
            algorithms: SignatureAlgorithm.allCases.filter { !$0.isSymmetric },
            maxAge: 60,
            accessToken: token
        )
        change(&expectation)
        do throws(DPoPFailure) {
            let proof = try parse(text)
            try proof.check(expectation, at: now)
            try proof.verifySignature()
            return nil
        } catch {
            return error
        }
    }
}
