public import Tenants

extension CompanyStandIn {
    /// Makes the stand-in every OpenID provider that a tenant names. It has to be started.
    public func apply(to tenant: inout Tenant) {
        guard var signIn = tenant.signIn else { return }
        for index in signIn.named.indices {
            guard case .openID(var service) = signIn.named[index].service else { continue }
            service.issuer = issuer
            service.metadataURL = "\(issuer)/.well-known/openid-configuration"
            service.keys.location = .discovery(issuer: issuer)
            signIn.named[index].service = .openID(service)
        }
        tenant.signIn = signIn
    }
}
