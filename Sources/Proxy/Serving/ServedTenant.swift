package import Authorization
package import Tenants
package import Upstream

/// A tenant on one event loop: how its requests are authorized and forwarded.
package final class ServedTenant {
    package let runtime: TenantRuntime
    /// By backend index.
    package let backends: [BackendServers]
    /// What no route is for; nil if such requests are refused.
    package let defaultBackend: BackendServers?
    /// By their index in the configuration.
    let routes: [ServedRoute]
    package let forwarding: ForwardingRules
    /// Nil for a tenant without response header rules.
    let answerRules: ResponseHeaderRules?
    /// The tenant's form and texts of refusals; nil: the gateway's.
    let refusals: RefusalRules?
    /// Whether some backend responses hold tokens to capture.
    let capturesTokens: Bool
    /// Requests to its endpoints without a response yet.
    var endpointRequests = 0

    init(_ runtime: TenantRuntime, backends: [BackendServers]) {
        let tenant = runtime.tenant
        self.runtime = runtime
        self.backends = backends
        defaultBackend = tenant.defaultBackend.map { backends[$0] }
        routes = runtime.routes.map(ServedRoute.init)
        forwarding = ForwardingRules(tenant)
        answerRules = ResponseHeaderRules(tenant, runtime.browsers.crossOrigin)
        refusals = tenant.refusals
        capturesTokens = tenant.refresh?.captures.isEmpty == false
    }

    package var tenant: Tenant { runtime.tenant }
    /// Closes the servers of backends that another instance of the tenant no longer has.
    func closeBackends(notAmong remaining: [BackendServers]) {
        for backend in backends where !remaining.contains(where: { $0.name == backend.name }) { backend.close() }
    }

    /// Its index in the configuration, which is also its label's index in counters.
    package var index: TenantIndex { runtime.index }
}
