import Tenants

/// Everything of the configuration that the request path reads, as one event loop has it. Swapped whole, never changed.
struct Serving {
    let tenants: [TenantRuntime]
    let router: RequestRouter
    let decision: AccessDecision

    /// - Parameter keySources: How many sets of keys can be asked for.
    init(tenants: [TenantRuntime], directory: TenantDirectory, keySources: Int = 0) {
        self.tenants = tenants
        router = RequestRouter(directory: directory, tenants: tenants)
        decision = AccessDecision(router: router, keySources: keySources)
    }

    func close() {
        decision.forgetTokens()
        for tenant in tenants { tenant.servers.close() }
    }
}
