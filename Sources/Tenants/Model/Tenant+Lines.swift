extension Tenant {
    /// The tenant without its lines in the file: tenants that are equal then are served alike.
    public var withoutLines: Tenant {
        var tenant = box.settings
        tenant.lines = [:]
        tenant.tests = []
        tenant.authenticate.issuerLines = []
        for index in tenant.access.rules.indices { tenant.access.rules[index].line = 0 }
        tenant.routes = RouteTable(
            tenant.routes.routes.map { route in
                var route = route
                route.line = 0
                return route
            }
        )
        tenant.rateLimits = tenant.rateLimits.map(\.withoutLine)
        tenant.crossOrigin?.line = 0
        tenant.crossSite.line = 0
        tenant.proof?.line = 0
        tenant.introspection?.line = 0
        return Tenant(tenant)
    }
}
