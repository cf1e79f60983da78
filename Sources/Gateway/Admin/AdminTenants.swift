import Tenants

extension [Tenant] {
    /// The one with this name, byte for byte.
    func named(_ name: String) throws(AdminProblem) -> Tenant {
        guard let tenant = first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
            throw AdminProblem(
                .unknownTenant,
                "there is no such tenant; there are \(map(\.name).joined(separator: ", "))"
            )
        }
        return tenant
    }

    /// The one with this name, and its issuer.
    func withIssuer(_ name: String) throws(AdminProblem) -> (tenant: Tenant, issuer: BuiltInIssuer) {
        let tenant = try named(name)
        guard let issuer = tenant.issuer else {
            throw AdminProblem(.noIssuer, "the tenant has no issuer of its own (issuer: in tenants.yaml)")
        }
        return (tenant, issuer)
    }
}
