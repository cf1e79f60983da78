import Tenants

extension Counters {
    /// Requests of each tenant, by its index; those without a tenant are left out.
    public var requestsByTenant: [UInt64] {
        var sums = Array(repeating: UInt64(0), count: tenantCount - 1)
        forEachRequestCount { tenant, _, _, count in
            if tenant.value < sums.count { sums[tenant] += count }
        }
        return sums
    }

    /// The same counts with tenants added up.
    ///
    /// - Parameters:
    ///   - groups: The group of each tenant, by its index; nil: the tenant is left out.
    ///   - count: The number of groups.
    public func grouped(by groups: [Int?], count: Int) -> Counters {
        var sum = self
        sum.regroup(by: groups.prefix(tenantCount - 1) + [count], count: count)
        return sum
    }
}
