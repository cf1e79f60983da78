package import Tenants
package import Time

/// Work that is too slow for the event loop in a decision. It is done elsewhere, its outcome is kept by the
/// ``Authenticator`` or in the request's ``DecisionContext``, and the request is decided again.
///
/// Indirect: the cases are rare and large, and would otherwise enlarge every decision.
package indirect enum SlowStep {
    case signature(SignatureStep)
    case keys(KeyStep)
    case introspection(IntrospectionStep)
    case proof(ProofStep)
    /// New tokens for a caller whose token has expired.
    case refresh(Caller)
}

extension AllowedSteps {
    package init(_ step: SlowStep) {
        self =
            switch step {
            case .signature: .signature
            case .keys: .keys
            case .refresh: .refresh
            case .introspection: .introspection
            case .proof: .proof
            }
    }
}

/// A costly signature check.
package struct SignatureStep: Sendable {
    package let tenant: TenantIndex
    package let token: [UInt8]
    /// Where the outcome will be remembered.
    package let key: TokenCache.Key
    package let now: UnixTime
    let keyGeneration: Int
}

/// Keys of an issuer that are not here.
package struct KeyStep: Sendable {
    /// Its place among the remote key sources.
    package let source: Int
    /// Whether there is no set at all; else a token names a key that is not in it.
    package let isMissing: Bool
}
