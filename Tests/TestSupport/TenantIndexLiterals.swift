@testable public import Tenants

/// Tests write a tenant's index as a plain number.
extension TenantIndex: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) { self.init(value) }
}
