import Authorization
package import Tenants
package import Time

/// The servers of one tenant as one event loop sees them: how each is doing, and whose turn it is.
package final class BackendServers {
    /// What all that ever served a tenant share, so that a long request holds those of its beginning alone, and not one
    /// of each reload since.
    private final class Line {
        weak var latest: BackendServers?
    }

    package let pools: [ServerPool]
    package let retries: Retries
    private let backend: Backend
    private let tls: BackendTLSContexts?
    private var balancer: Balancer
    private var isReplaced = false
    private let line: Line
    private unowned let loop: LoopContext

    /// - Parameters:
    ///   - previous: The servers of the same tenant that these take the place of: those that stay keep their
    ///     connections.
    package init(
        _ backend: Backend,
        tls: BackendTLSContexts?,
        loop: LoopContext,
        loops: Int,
        previous: BackendServers? = nil
    ) {
        self.loop = loop
        line = previous?.line ?? Line()
        self.backend = backend
        retries = Retries(backend.retries)
        self.tls = tls
        let settings = ServerPool.Settings(backend, loops: loops)
        var kept: [ServerIndex?] = []
        for server in backend.servers { kept.append(previous?.index(of: server, settings, tls, butNot: kept)) }
        pools = zip(backend.servers, kept).map { server, old in
            if let previous, let old { return previous.pools[old] }
            return Self.pool(server, settings, tls, loop)
        }
        let servers = backend.servers.map { server in
            (weight: server.weight, identity: StableHash.of(ServerPool.label(of: server).utf8))
        }
        let method: BalanceMethod =
            switch backend.balance {
            case .roundRobin: .roundRobin
            case .leastRequests: .leastRequests
            case .hashSubject: .hash
            }
        balancer = Balancer(servers, method: method, random: loop.identifiers.next())
        for index in pools.serverIndices {
            if let previous, let old = kept[index] {
                let keepsProbes = previous.backend.health == backend.health
                balancer.adopt(index, from: previous.balancer, old, keepsProbes: keepsProbes)
            }
            pools[index].joins(self, at: index)
        }
        line.latest = self
        previous?.replace(by: self)
    }

    /// The index of the same server, if connections to it may go on.
    ///
    /// - Parameter taken: Those that others of the new list have: the same server may be in it twice.
    private func index(
        of server: BackendServer,
        _ settings: ServerPool.Settings,
        _ tls: BackendTLSContexts?,
        butNot taken: [ServerIndex?]
    ) -> ServerIndex? {
        guard server.scheme != .https || tls == self.tls else { return nil }
        return pools.serverIndices.first { index in
            !taken.contains(index) && pools[index].isFor(server) && pools[index].settings == settings
        }
    }

    /// Others serve the tenant from now on. What is under way here goes on.
    private func replace(by successor: BackendServers) {
        isReplaced = true
        for pool in pools where !successor.pools.contains(where: { $0 === pool }) { pool.close() }
    }

    private static func pool(
        _ server: BackendServer,
        _ settings: ServerPool.Settings,
        _ tls: BackendTLSContexts?,
        _ loop: LoopContext
    ) -> ServerPool {
        switch server.scheme {
        case .http: return ServerPool(server, settings, upgrades: .here, loop: loop)
        case .https:
            let http1Only = ServerPool(server, settings, tls: tls?.http1Only, upgrades: .hereAlone, loop: loop)
            return ServerPool(server, settings, tls: tls?.any, upgrades: .elsewhere(http1Only), loop: loop)
        case .h2c: return ServerPool(server, settings, upgrades: .nowhere, loop: loop)
        }
    }

    /// The server for a request, or nil when there is none left. The attempt is outstanding there until ``ended(_:)``.
    ///
    /// - Parameter tried: Servers that had the request or could not be reached for it.
    func choose(for caller: Caller?, butNot tried: [ServerIndex]) -> ServerPool? {
        // The indices are others there; a server that had the request may have it again.
        if isReplaced, let latest = line.latest { return latest.choose(for: caller, butNot: []) }
        let random = loop.identifiers.next()
        return balancer.choose(
            butNot: tried,
            key: caller?.subjectHash ?? random,
            random: random,
            at: loop.lastTick
        ).map { pools[$0] }
    }

    package func ended(_ server: ServerIndex) {
        if !balancer.ended(server) { loop.failedInternally(.upstreamRequest, "an attempt ends that was not begun") }
    }

    /// A connection stands.
    package func connected(_ server: ServerIndex, begunAt: MonotonicTime) {
        balancer.connected(server, begunAt: begunAt)
    }

    /// - Parameter begunAt: When the attempt began, as ``LoopContext/lastTick`` was then.
    package func answered(_ server: ServerIndex, begunAt: MonotonicTime) {
        balancer.answered(server, begunAt: begunAt, at: loop.lastTick)
    }

    package func failed(_ server: ServerIndex, _ failure: ServerFailure, begunAt: MonotonicTime) {
        balancer.failed(server, failure, begunAt: begunAt, at: loop.lastTick)
    }

    /// - Parameter server: The one that was probed; it may be in the list no more.
    package func probed(_ server: BackendServer, isUp: Bool) {
        for index in pools.serverIndices where pools[index].isFor(server) {
            balancer.probed(index, isUp: isUp, at: loop.lastTick)
        }
    }

    /// Whether requests are sent there, but for the last resort.
    package func isHealthy(_ server: ServerIndex) -> Bool {
        balancer.health(of: server).isAvailable(at: loop.lastTick)
    }

    package func close() {
        for pool in pools { pool.close() }
    }
}
