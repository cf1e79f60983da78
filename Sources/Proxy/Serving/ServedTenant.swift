package import Authorization
package import Tenants
package import Upstream

/// A tenant as one event loop serves it: how its requests are authorized, and what becomes of those that are granted.
package final class ServedTenant {
    package let runtime: TenantRuntime
    package let servers: BackendServers
    package let forwarding: ForwardingRules
    /// Nil for a tenant whose answers go out as they are.
    let answerRules: AnswerRules?
    /// Whether some of the backend's answers hold tokens to be kept.
    let capturesTokens: Bool
    /// Requests to its endpoints that are not answered yet.
    var questionsUnderWay = 0

    init(_ runtime: TenantRuntime, servers: BackendServers) {
        let tenant = runtime.tenant
        self.runtime = runtime
        self.servers = servers
        forwarding = ForwardingRules(tenant)
        answerRules = AnswerRules(tenant, runtime.browsers.crossOrigin)
        capturesTokens = tenant.refresh?.captures.isEmpty == false
    }

    package var tenant: Tenant { runtime.tenant }
    /// Its place in the configuration; also the label's place in counters.
    package var index: TenantIndex { runtime.index }
}
