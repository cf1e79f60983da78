import AccountDeletion
import Adoption
import Events
import IdentityProvider
import Logging
import Proxy
import SharedState
import SignalReceiver
import Store
import Tenants
import Time
import TokenSigning
import Verification

/// The services for tenants' endpoints.
struct EndpointServices: Sendable {
    let counts: SignInCounts
    let deletionCounts: DeletionCounts
    /// Nil if no tenant's accounts are deleted.
    let deletions: DeletionService?
    private let limits: AttemptLimits
    /// Of the tenants that adopt sessions of former issuers.
    let adopters: [TenantIndex: SessionAdopter]
    /// Of the tenants with endpoints.
    private let services: [TenantIndex: EndpointService]
    /// Of the same.
    private let accounts: [TenantIndex: TenantAccounts]
    private let known: Known
    /// By tenant index. What takes signals is made for each: hardly any tenant gets one.
    private let tenants: [Tenant]
    private let realms: [String: [TenantIndex]]
    private let parts: Parts

    /// What was read from elsewhere for sign-ins, and is carried over by a reload that does not change where from.
    private struct Known: Sendable {
        /// By the tenant's name.
        var metadata: [String: ProviderMetadata] = [:]
        /// By path.
        var emails: [String: WatchedEmails] = [:]
    }

    struct Parts: Sendable {
        var store: any Store
        /// Nil without `GATEHOUSE_KEY`.
        var sealer: Sealer?
        /// Requests to the tenants' backends.
        var backends: BackendTransport
        var issuers: OwnIssuers
        var revocations: any RevocationChecks
        var requests: any ProviderRequests
        var verifiers: ProviderVerifiers
        /// Requests a provider's keys.
        var requestKeys: @Sendable (RemoteKeySource, KeySetReason) async -> KeySetResult
        var proofNonces: ProofNonces
        /// Nil: nobody is told of anything.
        var outbox: EventOutbox?
        var clientKeys: any ClientKeySets
        var logger: Logger
        var accountsLogger: Logger
    }

    /// - Parameters:
    ///   - tenants: By tenant index.
    ///   - previous: Those of the previous configuration, whose attempt counts and knowledge of providers continue.
    init(_ tenants: [Tenant], previous: EndpointServices? = nil, _ parts: Parts) {
        let limits = previous?.limits ?? AttemptLimits()
        let counts = previous?.counts ?? SignInCounts()
        self.limits = limits
        self.counts = counts
        let known = Self.known(tenants, previous: previous?.known, parts)
        self.known = known
        deletionCounts = previous?.deletionCounts ?? DeletionCounts()
        let realms = Self.realms(tenants)
        let serving = tenants.tenantIndices.filter { tenants[$0].signIn != nil || tenants[$0].issuer != nil }
        var accounts: [TenantIndex: TenantAccounts] = [:]
        let pages = Set(serving.filter { tenants[$0].signIn?.accountPage != nil })
        for index in serving {
            let realm = tenants[index].accounts.realm.flatMap { realms[$0] } ?? [index]
            let hasPage = !pages.isEmpty && realm.contains(where: pages.contains)
            accounts[index] = Self.accounts(tenants[index], index, hasPage: hasPage, known, parts)
        }
        let deletable = TenantDeletions(tenants, realms: realms, accounts, deletionCounts, parts)
        deletions = deletable.service
        var services: [TenantIndex: EndpointService] = [:]
        var adopters: [TenantIndex: SessionAdopter] = [:]
        for index in serving {
            guard let own = accounts[index] else { continue }
            let realm = tenants[index].accounts.realm.flatMap { realms[$0] } ?? [index]
            let context = Self.context(tenants[index], index, own, deletable, limits, known, parts)
            services[index] = EndpointService(
                context,
                realmSessions: realm.compactMap { parts.issuers.services[$0] },
                counts: counts
            )
            guard tenants[index].refresh?.adopted.isEmpty == false, context.sessions != nil else { continue }
            adopters[index] = SessionAdopter(
                context,
                accounts: own.repository,
                admission: Self.admission(tenants[index], known)
            )
        }
        self.services = services
        self.adopters = adopters
        self.accounts = accounts
        self.tenants = tenants
        self.realms = realms
        self.parts = parts
    }

    /// - Returns: Nil for a tenant without endpoints, which keeps none.
    func accounts(ofTenant tenant: TenantIndex) -> AccountRepository? { accounts[tenant]?.repository }

    func answer(_ request: EndpointRequest, ofTenant tenant: TenantIndex) async -> EndpointResult {
        if SignalEndpoints.serves(request.endpoint) { return await signals(ofTenant: tenant).respond(to: request) }
        return await services[tenant]?.respond(to: request) ?? .refused(.badRequest("nothing is served here"))
    }

    private func signals(ofTenant index: TenantIndex) -> SignalEndpoints {
        let tenant = tenants[index]
        let realm = tenant.accounts.realm.flatMap { realms[$0] } ?? [index]
        return SignalEndpoints(
            SignalContext(
                tenant: tenant,
                store: parts.store,
                tokens: KnownSenderTokens(verifiers: parts.verifiers, keys: FetchedKeys(fetch: parts.requestKeys)),
                revocations: parts.revocations,
                accounts: accounts[index]?.repository,
                sessions: parts.issuers.services[index],
                realmSessions: realm.compactMap { parts.issuers.services[$0] },
                counts: counts,
                limits: limits,
                logger: parts.logger
            )
        )
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

    private static func known(_ tenants: [Tenant], previous: Known?, _ parts: Parts) -> Known {
        var known = Known()
        for tenant in tenants {
            guard let signIn = tenant.signIn else { continue }
            known.metadata[tenant.name] = ProviderMetadata(
                signIn,
                previous: previous?.metadata[tenant.name],
                requests: parts.requests,
                logger: parts.logger
            )
            guard let path = signIn.who?.emailsFile, known.emails[path] == nil else { continue }
            known.emails[path] = previous?.emails[path] ?? WatchedEmails(path: path, logger: parts.accountsLogger)
        }
        return known
    }

    private static func hook(_ tenant: Tenant, _ keys: (any IssuerKeys)?, _ parts: Parts) -> AccountHook? {
        guard let url = tenant.accounts.hook, let issuer = tenant.issuer, let keys else { return nil }
        return AccountHook(
            url: url,
            issuer: issuer.url,
            tenant: tenant.name,
            rules: tenant.accounts,
            keys: keys,
            requests: parts.requests,
            logger: parts.accountsLogger
        )
    }

    private static func admission(_ tenant: Tenant, _ known: Known) -> Admission? {
        tenant.signIn?.who.map { who in Admission(who, emails: who.emailsFile.flatMap { known.emails[$0] }) }
    }

    private static func accounts(
        _ tenant: Tenant,
        _ index: TenantIndex,
        hasPage: Bool,
        _ known: Known,
        _ parts: Parts
    ) -> TenantAccounts {
        let hook = hook(tenant, parts.issuers.signingKeys(ofTenant: index), parts)
        let admission = admission(tenant, known)
        let repository = AccountRepository(
            tenant.accounts,
            tenant: tenant.name,
            store: parts.store,
            hook: hook,
            admission: admission,
            providers: tenant.signIn?.providers,
            confirmation: tenant.signIn?.passkeyConfirmation,
            outbox: parts.outbox,
            logger: parts.accountsLogger
        )
        return TenantAccounts(
            repository: repository,
            admitted: admission.map { AdmittedAccounts(repository, $0) } ?? repository,
            hook: hook,
            hasPage: hasPage
        )
    }

    private static func context(
        _ tenant: Tenant,
        _ index: TenantIndex,
        _ accounts: TenantAccounts,
        _ deletions: TenantDeletions,
        _ limits: AttemptLimits,
        _ known: Known,
        _ parts: Parts
    ) -> SignInContext {
        let tokens = TenantProviderTokens(
            tenant: index,
            verifiers: parts.verifiers,
            keys: FetchedKeys(fetch: parts.requestKeys)
        )
        return SignInContext(
            tenant: tenant,
            store: parts.store,
            accounts: accounts.admitted,
            hook: accounts.hook,
            keeping: tenant.signIn?.accountPage == nil ? nil : accounts.repository,
            sessions: parts.issuers.services[index],
            keys: parts.issuers.signingKeys(ofTenant: index),
            providerTokens: tokens,
            providerMetadata: known.metadata[tenant.name],
            requests: parts.requests,
            revocations: parts.revocations,
            logger: parts.logger,
            proofNonces: parts.proofNonces,
            limits: limits,
            deletions: tenant.signIn?.deletion == nil ? nil : deletions.service,
            grants: deletions.keeper(tenant, accounts, tokens, parts),
            accountsMayChange: deletions.mayDelete(accountsOf: tenant) || accounts.hasPage,
            clientKeys: parts.clientKeys
        )
    }
}

/// How a tenant's people are found.
struct TenantAccounts: Sendable {
    let repository: AccountRepository
    /// Those alone whom `who` lets in.
    let admitted: any AccountFinding
    /// Nil for a tenant without one.
    let hook: AccountHook?
    /// Whether one of the realm's tenants has a page at which people take logins off.
    let hasPage: Bool
}
