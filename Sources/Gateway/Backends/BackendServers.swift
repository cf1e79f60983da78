import Tenants

/// The servers of one tenant as one event loop sees them: how each is doing, and whose turn it is.
final class BackendServers {
    let pools: [ServerPool]
    private var balancer: Balancer
    private unowned let worker: Worker

    init(_ backend: Backend, tls: BackendTLSContexts?, worker: Worker, loops: Int) {
        self.worker = worker
        let settings = ServerPool.Settings(backend, loops: loops)
        pools = backend.servers.map { server in
            let tls = server.scheme == .https ? tls?.any : nil
            return ServerPool(server, settings, tls: tls, worker: worker)
        }
        let servers = pools.map { (weight: $0.server.weight, identity: StableHash.of($0.label.utf8)) }
        let method: BalanceMethod =
            switch backend.balance {
            case .roundRobin: .roundRobin
            case .leastRequests: .leastRequests
            case .hashSubject: .hash
            }
        balancer = Balancer(servers, method: method, random: worker.identifiers.next())
        for (place, pool) in pools.enumerated() {
            let upgrades = Self.poolForUpgrades(pool, settings, tls?.http1Only, worker)
            upgrades?.joins(self, at: place, forUpgrades: upgrades)
            pool.joins(self, at: place, forUpgrades: upgrades)
        }
    }

    private static func poolForUpgrades(
        _ pool: ServerPool,
        _ settings: ServerPool.Settings,
        _ tls: BackendTLSContext?,
        _ worker: Worker
    ) -> ServerPool? {
        switch pool.server.scheme {
        case .http: pool
        case .https: ServerPool(pool.server, settings, tls: tls, worker: worker)
        case .h2c: nil
        }
    }

    /// The server for a request, or nil when there is none left. The attempt is outstanding there until ``ended(_:)``.
    ///
    /// - Parameter tried: Places of servers that had the request or could not be reached for it.
    func choose(for caller: Caller?, butNot tried: [Int]) -> ServerPool? {
        let random = worker.identifiers.next()
        return balancer.choose(
            butNot: tried,
            key: caller?.subjectHash ?? random,
            random: random,
            at: worker.lastTick
        ).map { pools[$0] }
    }

    func ended(_ place: Int) { balancer.ended(place) }

    /// A connection stands.
    func connected(_ place: Int, begunAt: UInt64) { balancer.connected(place, begunAt: begunAt) }

    /// - Parameter begunAt: When the attempt began, as ``Worker/lastTick`` was then.
    func answered(_ place: Int, begunAt: UInt64) {
        balancer.answered(place, begunAt: begunAt, at: worker.lastTick)
    }

    func failed(_ place: Int, _ failure: ServerFailure, begunAt: UInt64) {
        balancer.failed(place, failure, begunAt: begunAt, at: worker.lastTick)
    }

    func probed(_ place: Int, isUp: Bool) { balancer.probed(place, isUp: isUp, at: worker.lastTick) }

    /// Whether requests are sent there, but for the last resort.
    func isHealthy(_ place: Int) -> Bool { balancer.health(of: place).isAvailable(at: worker.lastTick) }

    func close() {
        for pool in pools { pool.close() }
    }
}
