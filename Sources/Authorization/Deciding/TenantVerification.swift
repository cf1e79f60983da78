package import Tenants
package import Verification

/// How one event loop verifies a tenant's tokens.
package struct TenantVerification {
    package let verifier: TokenVerifier
    /// Nil for a tenant that refuses opaque tokens.
    package let introspecting: TenantIntrospecting?
    /// Seconds that the costliest signature check of this tenant takes; nil where all are quick.
    let slowCheckCost: Double?
    /// Seconds for which an expired token may still be refreshed.
    package let refreshGrace: Double
    /// By the place of an issuer in the policy: the source of its keys in the loop's ``KeyQuestions``; nil if it is not a
    /// remote one.
    let keyQuestions: [Int?]
    /// Grows when keys change: the outcome of a check that began before is not cached after.
    private(set) var keyGeneration = 0
    /// Signature checks that are made beside the loop.
    package var slowChecksUnderWay = 0
    private let keySources: [KeySource]

    /// - Parameter remoteKeySources: Of all tenants, each once.
    init(_ tenant: Tenant, _ remoteKeySources: [RemoteKeySource]) {
        verifier = TokenVerifier(tenant.authenticate.policy)
        introspecting = tenant.introspection.map(TenantIntrospecting.init)
        slowCheckCost = tenant.authenticate.policy.issuers.flatMap(\.algorithms).compactMap(\.slowCheckCost).max()
        refreshGrace = tenant.refreshGrace.secondsAsDouble
        keySources = tenant.authenticate.keySources
        keyQuestions = keySources.map { source in
            guard case .remote(let remote) = source else { return nil }
            return remoteKeySources.firstIndex(of: remote)
        }
    }

    /// Issuers whose keys come from `source` have these from now on.
    ///
    /// - Returns: Whether the tenant has such an issuer.
    package mutating func use(_ keys: KeySet?, from source: KeySource) -> Bool {
        let places = keySources.indices.filter { keySources[$0] == source }
        guard !places.isEmpty else { return false }
        for place in places { verifier.use(keys, ofIssuer: place) }
        keyGeneration += 1
        return true
    }
}
