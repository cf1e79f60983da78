public import Tenants

/// How many requests were over a limit.
public struct LimitCount: Sendable, Equatable {
    public var tenant: TenantIndex
    /// The limit's name.
    public var limit: String
    public var mode: Tenant.Mode
    public var count: UInt64

    public init(tenant: TenantIndex, limit: String, mode: Tenant.Mode, count: UInt64) {
        self.tenant = tenant
        self.limit = limit
        self.mode = mode
        self.count = count
    }
}
