package import Counting
package import IdentityProvider
package import Tenants
package import Time
package import Verification

/// A tenant on one event loop: its configuration, its verifiers with OpenSSL contexts, and values derived once instead
/// of for each request.
package final class TenantRuntime {
    /// Also its label's index in counters.
    package var index: TenantIndex { revision.tenant }
    package let revision: TenantRevision
    package let tenant: Tenant
    let tokenSources: TokenSources
    package var verification: TenantVerification
    /// By their index in the configuration.
    package let routes: [RouteRuntime]
    /// What no route is for; nil if such requests are refused.
    package let defaultBackend: BackendIndex?
    /// The path prefix to strip, without the trailing `/`; empty for none.
    package let strippedPrefix: [UInt8]
    /// The gateway's own endpoints, and sign-ins that it checks before the backend.
    package let endpoints: EndpointTable
    package let revocations: TenantRevocations
    /// Nil for a tenant without rate limits.
    package let limits: TenantLimits?
    package let browsers: BrowserProtection
    /// Nil for a tenant without DPoP.
    package let proving: TenantProving?
    /// Nil for a tenant whose sessions are not refreshed.
    package let refreshing: TenantRefreshing?
    /// Nil for a tenant whose app's version does not matter.
    package let appVersion: AppVersionCheck?
    /// Whether every connection must have shown a client certificate.
    package let needsClientCertificate: Bool
    /// Where browsers that open a page without a good token are led; nil: they get 401.
    let login: String?
    /// How many requests each access rule has been for.
    package private(set) var ruleCounts: RuleCounts
    /// The same of each route; nil for a tenant without routes.
    package private(set) var routeCounts: RouteCounts?

    /// - Parameters:
    ///   - revision: See ``ConfigurationSnapshot/revisions``.
    ///   - revocations: Of the same tenant's previous runtime; nil for a new tenant.
    ///   - ruleCounts: The same; nil for a new tenant.
    ///   - routeCounts: The same; nil for a new tenant.
    ///   - since: When the tenant's configuration came into force.
    package init(
        index: TenantIndex,
        revision: UInt64 = 0,
        tenant: Tenant,
        revocations: TenantRevocations? = nil,
        ruleCounts: RuleCounts? = nil,
        routeCounts: RouteCounts? = nil,
        since: UnixTime = .distantPast,
        proofNonces: ProofNonces = ProofNonces(),
        limits: TenantLimits? = nil
    ) {
        self.revision = TenantRevision(index, number: revision)
        self.tenant = tenant
        self.revocations = revocations ?? TenantRevocations(tenant)
        self.revocations.adopt(tenant)
        self.limits = limits
        browsers = BrowserProtection(tenant)
        proving = TenantProving(tenant, nonces: proofNonces)
        tokenSources = TokenSources(tenant)
        verification = TenantVerification(tenant)
        refreshing = tenant.refresh.map { TenantRefreshing($0, tenant) }
        appVersion = tenant.appVersion.map(AppVersionCheck.init)
        needsClientCertificate = tenant.tls?.clientCAFile != nil
        endpoints = EndpointTable(tenant)
        login = tenant.signIn.flatMap { $0.navigations == .signIn ? $0.web?.login.description : nil }
        routes = RouteRuntime.all(of: tenant)
        defaultBackend = tenant.defaultBackend
        strippedPrefix = tenant.stripPrefix ? Array((tenant.pathPrefix ?? "").utf8) : []
        self.ruleCounts = RuleCounts(tenant.access, since: since, after: ruleCounts)
        if !tenant.routes.isEmpty {
            self.routeCounts = RouteCounts(tenant.routes.routes, since: since, after: routeCounts)
        }
    }

    /// Counts the access rules that a request is for, each once.
    func count(_ rules: RequestRules) {
        ruleCounts.count(rules.first)
        guard !rules.others.isEmpty else { return }
        var counted = [rules.first]
        for other in rules.others where !counted.contains(other) {
            counted.append(other)
            ruleCounts.count(other)
        }
    }

    /// Counts the route that a request is for.
    func count(_ route: RouteRuntime?) {
        if routeCounts != nil { routeCounts?.count(route?.index) }
    }

    /// Whether requests for an endpoint are forwarded to the backend once they are checked.
    ///
    /// Several providers may have endpoints of one kind: then it is enough that one of them forwards, since the endpoint
    /// itself knows which it is.
    package func forwardsSignIns(_ endpoint: Endpoint) -> Bool {
        switch endpoint {
        case .appleExchange, .appleNotifications: tenant.signIn?.apple?.then == .forward
        case .googleExchange: tenant.signIn?.google?.then == .forward
        case .namedExchange: tenant.signIn?.named.contains { $0.exchange?.then == .forward } ?? false
        case .backChannelLogout, .signals, .webLogin, .webCallback, .sessionRefresh, .sessionValidate, .sessionMe,
            .sessionLogout, .discovery, .jwks,
            .authorize, .appleCallback, .googleCallback, .namedCallback, .token, .revoke, .introspect, .userInfo,
            .logout, .accountPage, .passkeyScript, .passkeySignIn, .accountDeletion, .deletionReceipt:
            false
        }
    }

    /// Whether a request is one of `revoke_on`.
    package func endsSession(method: Span<UInt8>, path: Span<UInt8>) -> Bool {
        for rule in tenant.revokeOn where rule.matches(method: method, path: path) { return true }
        return false
    }
}
