package import Counting
package import Synchronization
package import Tenants

/// All limit counts of the process: the table that every event loop counts in, and the limits.
package final class RateLimiter: Sendable {
    package let table: ArrivalTable
    private let held: Mutex<[[LimitRule]]>
    /// Whether the store was unavailable at the last report. Then each instance limits by itself.
    package let isAlone = Atomic(false)

    /// - Returns: Nil if no tenant has a limit.
    package static func make(_ tenants: [Tenant], table: @autoclosure () -> ArrivalTable = ArrivalTable())
        -> RateLimiter?
    {
        guard tenants.contains(where: { !$0.rateLimits.isEmpty }) else { return nil }
        return RateLimiter(tenants, table())
    }

    private init(_ tenants: [Tenant], _ table: ArrivalTable) {
        self.table = table
        held = Mutex(tenants.tenantIndices.map { LimitRule.all(of: tenants[$0], index: $0) })
    }

    /// By tenant index.
    package var rules: [[LimitRule]] { held.withLock { $0 } }

    /// Replaces the tenants and their limits.
    ///
    /// - Parameter tenants: By tenant index.
    package func adopt(_ tenants: [Tenant]) {
        held.withLock { rules in
            let known = rules
            rules = tenants.enumerated().map { index, tenant in
                LimitRule.all(of: tenant, index: TenantIndex(index), known: index < known.count ? known[index] : [])
            }
        }
    }

    /// What each limit has refused, or would have refused; limits without refusals are left out.
    package var counts: [LimitCount] {
        rules.flatMap { rules in
            rules.compactMap { rule in
                let count = rule.exceeded
                guard count > 0 else { return nil }
                return LimitCount(tenant: rule.tenant, limit: rule.name, mode: rule.limit.mode, count: count)
            }
        }
    }
}
