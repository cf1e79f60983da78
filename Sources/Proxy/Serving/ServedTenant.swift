package import Authorization
package import Tenants
package import Upstream

/// A tenant on one event loop: how its requests are authorized and forwarded.
package final class ServedTenant {
    package let runtime: TenantRuntime
    package let servers: BackendServers
    package let forwarding: ForwardingRules
    /// Nil for a tenant without response header rules.
    let answerRules: ResponseHeaderRules?
    /// Whether some backend responses hold tokens to capture.
    let capturesTokens: Bool
    /// Requests to its endpoints without a response yet.
    var endpointRequests = 0

    init(_ runtime: TenantRuntime, servers: BackendServers) {
        let tenant = runtime.tenant
        self.runtime = runtime
        self.servers = servers
        forwarding = ForwardingRules(tenant)
        answerRules = ResponseHeaderRules(tenant, runtime.browsers.crossOrigin)
        capturesTokens = tenant.refresh?.captures.isEmpty == false
    }

    package var tenant: Tenant { runtime.tenant }
    /// Its index in the configuration, which is also its label's index in counters.
    package var index: TenantIndex { runtime.index }
}
