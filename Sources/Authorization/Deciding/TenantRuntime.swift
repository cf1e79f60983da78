package import IdentityProvider
package import Tenants
import Time
package import Verification

/// A tenant as one event loop serves it: its values, its verifier with OpenSSL contexts, and what the journey would
/// otherwise work out a request.
package final class TenantRuntime {
    /// Also the label's place in counters.
    package let index: TenantIndex
    package let tenant: Tenant
    package let verifier: TokenVerifier
    /// Without the trailing `/`; empty unless it is to be taken off.
    package let strippedPrefix: [UInt8]
    /// What the gateway answers itself, or checks before the backend does.
    package let endpoints: EndpointTable
    /// Seconds that the costliest signature check of this tenant takes; nil where all are quick.
    let slowCheckCost: Double?
    package let revocations: TenantRevocations
    /// Nil for a tenant without rate limits.
    package let limits: TenantLimits?
    /// Nil for a tenant without CORS rules.
    package let crossOrigin: CrossOriginSharing?
    package let crossSite: CrossSiteGuard
    /// Nil for a tenant that knows nothing of proofs of possession.
    package let proving: TenantProving?
    /// A bit for each of the first places that tokens are looked for in: whether it is a cookie.
    private let cookiePlaces: UInt64
    /// The cookies with tokens that the backend gets to see; empty where no token comes from a place besides that any
    /// page can fill.
    let forwardedCookies: [TokenSource]
    /// Nil for a tenant that refuses opaque tokens.
    package let introspecting: TenantIntrospecting?
    /// Nil for a tenant whose sessions are not refreshed.
    package let refreshing: TenantRefreshing?
    /// Seconds for which an expired token may still be refreshed.
    package let refreshGrace: Double
    /// By the place of an issuer in the policy: which of the loop's ``KeyQuestions`` its keys are; nil where nobody can
    /// be asked for them.
    package let keySources: [Int?]
    /// Grows when keys change: what was verified before that is not to be remembered after it.
    private(set) var keyGeneration = 0
    /// Signature checks that are made beside the loop.
    package var slowChecksUnderWay = 0
    /// Its requests are served on no connection that did not show one.
    package let needsClientCertificate: Bool

    /// - Parameters:
    ///   - revocations: Of the same tenant as it was served before; nil for one that is new.
    ///   - remoteKeySources: Of all tenants, each once.
    package init(
        index: TenantIndex,
        tenant: Tenant,
        revocations: TenantRevocations? = nil,
        remoteKeySources: [RemoteKeySource] = [],
        proofNonces: ProofNonces = ProofNonces(),
        limits: TenantLimits? = nil
    ) {
        self.index = index
        self.tenant = tenant
        self.revocations = revocations ?? TenantRevocations(tenant)
        self.revocations.adopt(tenant)
        self.limits = limits
        crossOrigin = CrossOriginSharing(tenant)
        crossSite = CrossSiteGuard(tenant)
        proving = TenantProving(tenant, nonces: proofNonces)
        cookiePlaces = tenant.authenticate.from.prefix(64).enumerated().reduce(0) { bits, source in
            if case .cookie = source.element { bits | 1 << UInt64(source.offset) } else { bits }
        }
        introspecting = tenant.introspection.map(TenantIntrospecting.init)
        refreshing = tenant.refresh.map { TenantRefreshing($0, tenant) }
        refreshGrace = tenant.refreshGrace.secondsAsDouble
        keySources = tenant.authenticate.keySources.map { source in
            guard case .remote(let remote) = source else { return nil }
            return remoteKeySources.firstIndex(of: remote)
        }
        needsClientCertificate = tenant.tls?.clientCAFile != nil
        verifier = TokenVerifier(tenant.authenticate.policy)
        slowCheckCost = tenant.authenticate.policy.issuers.flatMap(\.algorithms).compactMap(\.slowCheckCost).max()
        endpoints = EndpointTable(tenant)
        strippedPrefix = tenant.stripPrefix ? Array((tenant.pathPrefix ?? "").utf8) : []
        let sources = tenant.authenticate.from
        let cookies = sources.filter { if case .cookie = $0 { true } else { false } }
        let isOpen = sources.contains { !cookies.contains($0) && $0 != .bearer }
        forwardedCookies = tenant.identity.token == .strip || !isOpen ? [] : cookies
    }

    /// Issuers whose keys come from `source` have these from now on.
    ///
    /// - Returns: Whether the tenant has such an issuer.
    package func use(_ keys: KeySet?, from source: KeySource) -> Bool {
        let places = tenant.authenticate.keySources.indices.filter { tenant.authenticate.keySources[$0] == source }
        guard !places.isEmpty else { return false }
        for place in places { verifier.use(keys, ofIssuer: place) }
        keyGeneration += 1
        return true
    }

    /// Whether the place of a token source is a cookie.
    package func isCookie(_ place: Int) -> Bool { place < 64 && cookiePlaces >> UInt64(place) & 1 == 1 }

    /// Whether requests for an endpoint go on to the backend once they are checked.
    package func forwardsSignIns(_ endpoint: Endpoint) -> Bool {
        switch endpoint {
        case .appleExchange, .appleNotifications: tenant.signIn?.apple?.then == .forward
        case .googleExchange: tenant.signIn?.google?.then == .forward
        default: false
        }
    }

    /// Whether a request is one of `revoke_on`.
    package func endsSession(method: Span<UInt8>, path: Span<UInt8>) -> Bool {
        for rule in tenant.revokeOn where rule.matches(method: method, path: path) { return true }
        return false
    }
}
