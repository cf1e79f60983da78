package import Tenants
package import Verification

/// Verifies a tenant's tokens on one event loop.
package struct TenantVerification {
    package let verifier: TokenVerifier
    /// Nil for a tenant that refuses opaque tokens.
    package let introspecting: TenantIntrospecting?
    /// Seconds that this tenant's costliest signature check takes; nil if all are quick.
    let slowCheckCost: Double?
    /// Seconds for which an expired token may still be refreshed.
    package let refreshGrace: Double
    /// Grows when keys change: the result of a check that began before is not cached afterwards.
    private(set) var keyGeneration = 0
    /// Signature checks under way off the loop.
    package var slowChecksUnderWay = 0
    /// By issuer index in the policy.
    private let keySources: [KeySource]
    /// By issuer index in the policy.
    private var keys: [KeySet?]

    init(_ tenant: Tenant) {
        verifier = TokenVerifier(tenant.authenticate.policy)
        introspecting = tenant.introspection.map(TenantIntrospecting.init)
        slowCheckCost = tenant.authenticate.policy.issuers.flatMap(\.algorithms).compactMap(\.slowCheckCost).max()
        refreshGrace = tenant.refreshGrace.secondsAsDouble
        keySources = tenant.authenticate.keySources
        keys = tenant.authenticate.policy.issuers.map(\.keys)
    }

    /// The source of an issuer's keys; nil if it is not a remote one.
    func remoteKeySource(ofIssuer index: Int) -> RemoteKeySource? {
        guard keySources.indices.contains(index), case .remote(let source) = keySources[index] else { return nil }
        return source
    }

    /// Sets the keys of issuers that use `source`.
    ///
    /// - Returns: Whether the tenant has such an issuer, and had other keys for it.
    package mutating func use(_ keys: KeySet?, from source: KeySource) -> Bool {
        let indices = keySources.indices.filter { keySources[$0] == source && self.keys[$0] != keys }
        guard !indices.isEmpty else { return false }
        for index in indices {
            verifier.use(keys, ofIssuer: index)
            self.keys[index] = keys
        }
        keyGeneration += 1
        return true
    }
}
