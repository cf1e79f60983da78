package import Tenants

/// A tenant as it is between two changes of it. What is remembered of its tokens is of one revision: a reload that
/// changes the tenant leaves nothing of it in force, and one that does not leaves all of it.
package struct TenantRevision: Hashable, Sendable {
    package let tenant: TenantIndex
    /// See ``ConfigurationSnapshot/revisions``.
    package let number: UInt64

    package init(_ tenant: TenantIndex, number: UInt64 = 0) {
        self.tenant = tenant
        self.number = number
    }

    /// For keyed hashes of the tenant's tokens.
    var seed: UInt64 { UInt64(truncatingIfNeeded: tenant.value) ^ number << 32 }
}
