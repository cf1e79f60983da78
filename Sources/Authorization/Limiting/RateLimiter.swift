package import Counting
package import Synchronization
package import Tenants

/// All tallies of the process: the table that every event loop counts in, and the limits they are counted by.
package final class RateLimiter: Sendable {
    package let table: ArrivalTable
    private let held: Mutex<[[LimitRule]]>
    /// Whether the store was away when it was last told of requests. Then each instance limits by itself.
    package let isAlone = Atomic(false)

    /// - Returns: Nil where no tenant has a limit.
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

    /// By place of the tenant.
    package var rules: [[LimitRule]] { held.withLock { $0 } }

    /// Holds requests to the limits of these from now on.
    ///
    /// - Parameter tenants: By place.
    package func adopt(_ tenants: [Tenant]) {
        held.withLock { rules in
            let known = rules
            rules = tenants.enumerated().map { place, tenant in
                LimitRule.all(of: tenant, index: TenantIndex(place), known: place < known.count ? known[place] : [])
            }
        }
    }

    /// What each limit has refused, or would have. Only what has happened.
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
