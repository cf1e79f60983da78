import Tenants

extension ConfigurationSnapshot {
    /// The tenant with this name, byte for byte, and its place.
    func named(_ name: String) throws(AdminProblem) -> (tenant: Tenant, place: TenantIndex) {
        guard let place = place(of: name) else {
            let known = configuration.tenants.map(\.name).joined(separator: ", ")
            throw AdminProblem(.unknownTenant, "there is no such tenant; there are \(known)")
        }
        return (tenants[place], place)
    }

    /// The one with this name, and its issuer.
    func withIssuer(_ name: String) throws(AdminProblem) -> (tenant: Tenant, place: TenantIndex, issuer: BuiltInIssuer)
    {
        let (tenant, place) = try named(name)
        guard let issuer = tenant.issuer else {
            throw AdminProblem(.noIssuer, "the tenant has no issuer of its own (issuer: in tenants.yaml)")
        }
        return (tenant, place, issuer)
    }
}
