import Tenants

/// What one who may write some tenants, but not all, must leave to the others: their hosts, and the accounts of their
/// realms.
///
/// A path below another tenant's host, or a host that its wildcard covers, is another's requests with their cookies and
/// tokens; a tenant in another's realm reads and makes its accounts. The host of an issuer's URL is its tenant's, whether
/// that has it among its hosts or leaves it to something before the gateway.
struct TenantReach {
    /// Those that the caller may not write.
    private let others: [Tenant]

    /// - Parameter tenants: All in force.
    init(_ caller: AdminCaller, among tenants: [Tenant]) {
        others = caller.may([.all], tenant: nil) ? [] : tenants.filter { !caller.may([.tenants], tenant: $0.name) }
    }

    func check(_ tenant: Tenant) throws(AdminProblem) {
        for other in others where other.name != tenant.name {
            let taken = other.hosts + (other.issuer?.host.map { [$0] } ?? [])
            for host in tenant.hosts where taken.contains(where: host.overlaps) {
                throw StoredTenantHandler.hostTaken("\(host)", by: other.name)
            }
            if let realm = tenant.accounts.realm, other.accounts.realm == realm {
                throw AdminProblem(
                    .insufficientScope,
                    "the accounts of realm \(realm) are tenant \(other.name)'s too, which this token may not write: name "
                        + "another realm"
                )
            }
        }
    }
}
