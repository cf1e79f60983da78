extension Tenant {
    /// The tenant without its lines in the file: tenants that are equal then are served alike.
    public var withoutLines: Tenant {
        var tenant = self
        tenant.lines = [:]
        tenant.tests = []
        tenant.authenticate.issuerLines = []
        for index in tenant.access.rules.indices { tenant.access.rules[index].line = 0 }
        tenant.rateLimits = tenant.rateLimits.map(\.withoutLine)
        tenant.crossOrigin?.line = 0
        tenant.crossSite.line = 0
        tenant.proof?.line = 0
        tenant.introspection?.line = 0
        return tenant
    }
}
