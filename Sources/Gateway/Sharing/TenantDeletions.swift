import AccountDeletion
import IdentityProvider
import Proxy
import SharedState
import Tenants
import Time

/// The deletions of all tenants' accounts.
struct TenantDeletions: Sendable {
    /// Nil if no tenant has `delete_account`.
    let service: DeletionService?
    /// The names of those, and their realms.
    private let tenants: Set<String>
    private let realms: Set<String>

    /// - Parameters:
    ///   - tenants: By tenant index.
    ///   - realms: The tenants of each.
    init(
        _ tenants: [Tenant],
        realms: [String: [TenantIndex]],
        _ accounts: [TenantIndex: TenantAccounts],
        _ counts: DeletionCounts,
        _ parts: EndpointServices.Parts
    ) {
        let deleting = tenants.tenantIndices.filter { tenants[$0].signIn?.deletion != nil }
        self.tenants = Set(deleting.map { tenants[$0].name })
        self.realms = Set(deleting.compactMap { tenants[$0].accounts.realm })
        guard !deleting.isEmpty else {
            service = nil
            return
        }
        service = DeletionService(
            deleting.compactMap { index in
                guard let own = accounts[index] else { return nil }
                let tenant = tenants[index]
                let realm = tenant.accounts.realm.flatMap { realms[$0] } ?? [index]
                return DeletionParts(
                    tenant: tenant,
                    realm: realm.map { tenants[$0] },
                    accounts: own.repository,
                    sessions: realm.compactMap { parts.issuers.services[$0] },
                    requests: parts.requests,
                    backends: realm.compactMap { Self.backend($0, tenants[$0], parts) },
                    outbox: parts.outbox
                )
            },
            store: parts.store,
            sealer: parts.sealer,
            counts: counts,
            logger: parts.accountsLogger,
            now: { Clock.unix() }
        )
    }

    /// - Returns: Nil for a tenant whose backend is told nothing.
    private static func backend(
        _ index: TenantIndex,
        _ tenant: Tenant,
        _ parts: EndpointServices.Parts
    ) -> DeletionBackend? {
        guard let call = tenant.signIn?.deletion?.call else { return nil }
        return DeletionBackend(
            tenant: tenant.name,
            call: call,
            calls: TenantBackend(transport: parts.backends, tenant: index, issuer: tenant.issuer?.url ?? ""),
            proof: parts.issuers.signingKeys(ofTenant: index).flatMap { keys in
                tenant.issuer.map { HookProof(issuer: $0.url, keys: keys) }
            }
        )
    }

    /// Whether an account of the tenant may be deleted at one of its realm.
    func mayDelete(accountsOf tenant: Tenant) -> Bool {
        tenants.contains(tenant.name) || tenant.accounts.realm.map(realms.contains) ?? false
    }

    /// - Returns: Nil for a tenant that keeps no tokens of providers.
    func keeper(
        _ tenant: Tenant,
        _ accounts: TenantAccounts,
        _ tokens: any ProviderTokens,
        _ parts: EndpointServices.Parts
    ) -> ProviderGrantKeeper? {
        guard let service, let sealer = parts.sealer, tenant.signIn?.keepsProviderTokens == true else { return nil }
        return ProviderGrantKeeper(
            tenant,
            store: parts.store,
            sealer: sealer,
            accounts: accounts.repository,
            deletions: service,
            tokens: tokens,
            requests: parts.requests,
            logger: parts.accountsLogger,
            now: { Clock.unix() }
        )
    }
}

/// Requests to one tenant's backend.
private struct TenantBackend: BackendCalls {
    let transport: BackendTransport
    let tenant: TenantIndex
    /// Its issuer's URL, whose host the backend knows the app by.
    let issuer: String

    func send(
        _ method: String,
        _ target: String,
        _ fields: [EndpointResponse.Field]
    ) async throws(ProviderRequestFailure) -> Int {
        let host = issuer.firstRange(of: "://").map { issuer[$0.upperBound...].prefix { $0 != "/" } } ?? "localhost"
        let request = RefreshHTTPRequest(
            method: method,
            target: target,
            host: Array(host.utf8),
            fields: fields.map { ($0.name, Array($0.value.utf8)) },
            body: []
        )
        do throws(RefreshFailure) {
            return try await transport.send(request, tenant: tenant).status
        } catch {
            switch error {
            case .timeout: throw .timeout
            case .garbledAnswer, .tooLargeAnswer: throw .garbled
            default: throw .unreachable
            }
        }
    }
}
