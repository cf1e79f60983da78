extension Tenant {
    /// The same tenant wherever it stands in the file: two that are equal so are served alike.
    public var withoutLines: Tenant {
        var tenant = self
        tenant.lines = [:]
        tenant.tests = []
        tenant.authenticate.issuerLines = []
        for place in tenant.access.rules.indices { tenant.access.rules[place].line = 0 }
        tenant.rateLimits = tenant.rateLimits.map(\.withoutLine)
        tenant.crossOrigin?.line = 0
        tenant.crossSite.line = 0
        tenant.proof?.line = 0
        tenant.introspection?.line = 0
        return tenant
    }
}
