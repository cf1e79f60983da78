package import Tenants
package import Time

/// Work of a decision that is too slow for the event loop. It is done elsewhere, its result is stored by the
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
    /// The cache key for the result.
    package let key: TokenCache.Key
    package let now: UnixTime
    let keyGeneration: Int
}

/// A request for missing keys of an issuer.
package struct KeyStep: Sendable {
    package let source: RemoteKeySource
    /// Whether there is no key set at all; if false, a token names a key that is not in it.
    package let isMissing: Bool
}
