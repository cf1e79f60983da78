import Tenants

/// Everything of the configuration that the request path reads, as one event loop has it. Swapped whole, never changed.
struct Serving {
    let tenants: [TenantRuntime]
    let router: RequestRouter
    let decision: AccessDecision

    init(tenants: [TenantRuntime], directory: TenantDirectory) {
        self.tenants = tenants
        router = RequestRouter(directory: directory, tenants: tenants)
        decision = AccessDecision(router: router)
    }

    func close() {
        decision.forgetTokens()
        for tenant in tenants { tenant.servers.close() }
    }
}
