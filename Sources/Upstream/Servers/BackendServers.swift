import Authorization
package import Tenants
package import Time

/// The servers of one tenant as one event loop sees them: their health, and which comes next.
package final class BackendServers {
    /// Shared by all instances that ever served a tenant, so that a long request holds only its own instance, and not
    /// one for each reload since.
    private final class Line {
        /// Nil once that is closed. Not weak: a weak reference moves an object's reference count into a side table, and
        /// each request retains its servers.
        var latest: BackendServers?
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
    ///   - previous: The instance that these servers replace: servers that stay keep their connections.
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

    /// The index of the same server, if connections to it stay usable.
    ///
    /// - Parameter taken: Indices that other servers of the new list have: the same server may be in it twice.
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

    /// A newer instance serves the tenant from now on. Requests under way here continue.
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

    /// Chooses the server for a request; nil if none is left. The attempt is outstanding there until ``ended(_:)``.
    ///
    /// - Parameter tried: Servers that had the request or could not be reached for it.
    func choose(for caller: Caller?, butNot tried: [ServerIndex]) -> ServerPool? {
        // The newer list has other indices; so a server that had the request may get it again.
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

    /// A connection is established.
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

    /// - Parameter server: The probed server, which may no longer be in the list.
    package func probed(_ server: BackendServer, isUp: Bool) {
        for index in pools.serverIndices where pools[index].isFor(server) {
            balancer.probed(index, isUp: isUp, at: loop.lastTick)
        }
    }

    /// Whether requests are sent there, other than as a last resort.
    package func isHealthy(_ server: ServerIndex) -> Bool {
        balancer.health(of: server).isAvailable(at: loop.lastTick)
    }

    /// Servers that ``trouble`` names.
    private static let mostNamed = 3

    /// What is wrong with the servers, for the log; nil if nothing is known.
    package var trouble: String? {
        let known = pools.compactMap { pool -> String? in
            if let problem = pool.problem { return "\(pool.label): \(problem)" }
            return pool.isHealthy ? nil : "\(pool.label): not healthy"
        }
        guard !known.isEmpty else { return nil }
        return known.prefix(Self.mostNamed).joined(separator: "; ") + (known.count > Self.mostNamed ? "; …" : "")
    }

    /// Its key in `backends`.
    package var name: String { backend.name }

    /// To be called when the tenant no longer has the backend: until then pools and servers reference each other.
    package func close() {
        if line.latest === self { line.latest = nil }
        for pool in pools { pool.close() }
    }
}
