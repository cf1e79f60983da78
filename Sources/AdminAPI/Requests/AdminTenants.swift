import Tenants

extension ConfigurationSnapshot {
    /// The tenant with this name, compared byte for byte, and its index.
    func named(_ name: String) throws(AdminProblem) -> (tenant: Tenant, index: TenantIndex) {
        guard let index = self.index(of: name) else {
            var known = configuration.tenants.prefix(Self.mostNamed).map(\.name).joined(separator: ", ")
            let more = configuration.tenants.count - Self.mostNamed
            if more > 0 { known += " and \(more) more" }
            throw AdminProblem(.unknownTenant, "there is no such tenant; there are \(known)")
        }
        return (tenants[index], index)
    }

    /// Of thousands of tenants no message names all.
    private static var mostNamed: Int { 20 }

    /// The tenant with this name, and its issuer.
    func withIssuer(_ name: String) throws(AdminProblem) -> (tenant: Tenant, index: TenantIndex, issuer: BuiltInIssuer)
    {
        let (tenant, index) = try named(name)
        guard let issuer = tenant.issuer else {
            throw AdminProblem(.noIssuer, "the tenant has no issuer of its own (issuer: in tenants.yaml)")
        }
        return (tenant, index, issuer)
    }
}
