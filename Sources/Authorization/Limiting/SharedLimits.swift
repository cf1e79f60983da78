package import Logging
package import Store
package import Tenants

/// The rate limits of all tenants, with the reports to the store for limits that instances share.
package struct SharedLimits: Sendable {
    package let limiter: RateLimiter
    private let synchronizer: LimitSynchronizer

    /// - Returns: Nil if no tenant has a limit.
    package init?(_ tenants: [Tenant], store: any Store, logger: Logger) {
        guard let limiter = RateLimiter.make(tenants) else { return nil }
        self.limiter = limiter
        synchronizer = LimitSynchronizer(limiter, store: store, tenants: tenants.map(\.name), logger: logger)
    }

    /// Replaces the tenants and their limits.
    ///
    /// - Parameter tenants: By tenant index.
    package func adopt(_ tenants: [Tenant]) async {
        limiter.adopt(tenants)
        await synchronizer.adopt(tenants.map(\.name))
    }

    /// Reports requests to the store.
    package func settle(_ requests: [UnsettledRequest]) {
        Task { [synchronizer] in await synchronizer.add(requests) }
    }

    package func stop() async { await synchronizer.stop() }
}
