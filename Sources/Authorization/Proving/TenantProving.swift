package import Tenants
import Time
package import Verification

/// A tenant's rules for proofs of possession (`dpop`), on one event loop.
package final class TenantProving {
    package let rules: ProofRules
    /// Seconds.
    package let maxAge: Double
    /// Nil if proofs need no nonce.
    package let nonces: ProofNonces?
    package let challenge: ProofChallenge
    /// Proofs that are being checked off the loop.
    package var stepsUnderWay = 0

    /// Nil for a tenant without `dpop`.
    init?(_ tenant: Tenant, nonces: ProofNonces) {
        guard let rules = tenant.proof else { return nil }
        self.rules = rules
        maxAge = rules.maxAge.secondsAsDouble
        self.nonces = rules.nonce ? nonces : nil
        challenge = ProofChallenge(rules)
    }
}

/// The `WWW-Authenticate` parameters for the proofs that a tenant accepts (RFC 9449 section 7.1).
package struct ProofChallenge {
    /// Names, separated by spaces.
    package let algorithms: String
    /// Whether tokens that are not bound to a key are accepted too.
    package let acceptsBearer: Bool

    init(_ rules: ProofRules) {
        algorithms = rules.algorithms.map(\.rawValue).joined(separator: " ")
        acceptsBearer = rules.need == .optional || rules.mode == .observe
    }
}

extension Refusal {
    package static let unknownConfirmation = invalidToken("the token is bound to something that cannot be checked here")
    package static let otherCertificate = invalidToken(
        "the token is bound to a client certificate that this connection does not have"
    )
    /// RFC 9449 section 7.2: a client without the key of a bound token must not use it as a bearer token.
    static let boundTokenAsBearer = invalidToken("the token is bound to a key: it needs the DPoP scheme and a proof")
    static let boundTokenUnknown = invalidToken("the token is bound to a key, and proofs of that are not checked here")
    static let unboundToken = invalidToken("the token is not bound to a key, which is needed here")
    static let bearerTokenWithProof = invalidToken(
        "the token is not bound to a key: it does not go with the DPoP scheme"
    )
    static let proofMemoryUnavailable = Refusal(
        .storeUnavailable,
        status: 503,
        detail: "whether the DPoP proof was used before is unknown at the moment",
        retryAfterSeconds: 1
    )

    static func badProof(_ detail: String, _ error: ProofError = .invalidProof) -> Refusal {
        var refusal = invalidToken(detail)
        refusal.proofError = error
        return refusal
    }

    private static func invalidToken(_ detail: String) -> Refusal {
        Refusal(.invalidToken, status: 401, detail: detail)
    }
}
