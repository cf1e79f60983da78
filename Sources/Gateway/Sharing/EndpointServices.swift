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
    /// Of the tenants with endpoints.
    private let services: [TenantIndex: EndpointService]

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
        let realms = Self.realms(tenants)
        var services: [TenantIndex: EndpointService] = [:]
        for index in tenants.tenantIndices where tenants[index].signIn != nil || tenants[index].issuer != nil {
            let realm = tenants[index].accounts.realm.flatMap { realms[$0] } ?? [index]
            services[index] = EndpointService(
                Self.context(tenants[index], index, limits, parts),
                realmSessions: realm.compactMap { parts.issuers.services[$0] },
                counts: counts
            )
        }
        self.services = services
    }

    func answer(_ request: EndpointRequest, ofTenant tenant: TenantIndex) async -> EndpointResult {
        await services[tenant]?.respond(to: request) ?? .refused(.badRequest("nothing is served here"))
    }

    func register(_ identity: ProviderIdentity, ofTenant tenant: TenantIndex) async {
        await services[tenant]?.register(identity, at: Clock.unix())
    }

    /// The tenants of each realm, which share accounts.
    private static func realms(_ tenants: [Tenant]) -> [String: [TenantIndex]] {
        var realms: [String: [TenantIndex]] = [:]
        for index in tenants.tenantIndices {
            if let realm = tenants[index].accounts.realm { realms[realm, default: []].append(index) }
        }
        return realms
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
        let admission = tenant.signIn?.who.map { who in
            Admission(who, emails: who.emailsFile.map { WatchedEmails(path: $0, logger: parts.accountsLogger) })
        }
        let accounts = AccountRepository(
            tenant.accounts,
            tenant: tenant.name,
            store: parts.store,
            hook: hook,
            admission: admission,
            providers: tenant.signIn?.providers,
            confirmation: tenant.signIn?.passkeyConfirmation,
            logger: parts.accountsLogger
        )
        return SignInContext(
            tenant: tenant,
            store: parts.store,
            accounts: admission.map { AdmittedAccounts(accounts, $0) } ?? accounts,
            keeping: tenant.signIn?.accountPage == nil ? nil : accounts,
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
