import IdentityProvider
import Logging
import Proxy
import SharedState
import Store
import Tenants
import Time
import Verification

/// The services for tenants' endpoints.
struct EndpointServices: Sendable {
    let counts: SignInCounts
    private let limits: AttemptLimits
    /// By tenant; nil for one without endpoints.
    private let services: [EndpointService?]

    struct Parts {
        var store: any Store
        var issuers: OwnIssuers
        var revocations: any RevocationChecks
        var requests: any ProviderRequests
        var verifiers: ProviderVerifiers
        /// Requests a provider's keys.
        var requestKeys: @Sendable (RemoteKeySource, KeySetReason) async -> KeySetResult
        var proofNonces: ProofNonces
        var logger: Logger
        var accountsLogger: Logger
    }

    /// - Parameters:
    ///   - tenants: By tenant index.
    ///   - previous: Those of the previous configuration, whose attempt counts continue.
    init(_ tenants: [Tenant], previous: EndpointServices? = nil, _ parts: Parts) {
        let limits = previous?.limits ?? AttemptLimits()
        let counts = previous?.counts ?? SignInCounts()
        self.limits = limits
        self.counts = counts
        services = tenants.tenantIndices.map { index in
            let tenant = tenants[index]
            guard tenant.signIn != nil || tenant.issuer != nil else { return nil }
            return EndpointService(
                Self.context(tenant, index, limits, parts),
                realmSessions: Self.realm(of: index, tenants).compactMap { parts.issuers.services[$0] },
                counts: counts
            )
        }
    }

    func answer(_ request: EndpointRequest, ofTenant tenant: TenantIndex) async -> EndpointResult {
        await services[tenant]?.respond(to: request) ?? .refused(.badRequest("nothing is served here"))
    }

    func register(_ identity: ProviderIdentity, ofTenant tenant: TenantIndex) async {
        await services[tenant]?.register(identity, at: Clock.unix())
    }

    /// The indices of the tenants that share accounts with the one at `index`, including itself.
    private static func realm(of index: TenantIndex, _ tenants: [Tenant]) -> [TenantIndex] {
        guard let realm = tenants[index].accounts.realm else { return [index] }
        return tenants.tenantIndices.filter { tenants[$0].accounts.realm == realm }
    }

    private static func context(
        _ tenant: Tenant,
        _ index: TenantIndex,
        _ limits: AttemptLimits,
        _ parts: Parts
    ) -> SignInContext {
        let keys = parts.issuers.signingKeys(ofTenant: index)
        var hook: AccountHook?
        if let url = tenant.accounts.hook, let issuer = tenant.issuer, let keys {
            hook = AccountHook(
                url: url,
                issuer: issuer.url,
                tenant: tenant.name,
                rules: tenant.accounts,
                keys: keys,
                requests: parts.requests,
                logger: parts.accountsLogger
            )
        }
        return SignInContext(
            tenant: tenant,
            store: parts.store,
            accounts: AccountRepository(
                tenant.accounts,
                tenant: tenant.name,
                store: parts.store,
                hook: hook,
                logger: parts.accountsLogger
            ),
            sessions: parts.issuers.services[index],
            keys: keys,
            providerTokens: TenantProviderTokens(
                tenant: index,
                verifiers: parts.verifiers,
                fetchKeys: parts.requestKeys
            ),
            requests: parts.requests,
            revocations: parts.revocations,
            logger: parts.logger,
            proofNonces: parts.proofNonces,
            limits: limits
        )
    }
}
