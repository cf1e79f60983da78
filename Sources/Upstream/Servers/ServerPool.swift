import Authorization
package import Counting
import NIOCore
package import Tenants
package import Time

/// One event loop's connections to one server. Of those that carry one request at a time the last one used is used
/// first, so that idle ones can be let go; one that carries many (HTTP/2) takes requests as long as it has room.
package final class ServerPool {
    package enum Lease {
        case server(any UpstreamServer)
        /// The client will be told when there is one, or that there is none.
        case waiting
        case refused
    }

    /// What all servers of a backend have in common.
    package struct Settings: Equatable {
        package var responseTimeout: UInt64
        package let idleTimeout: UInt64
        package let connectTimeout: Duration
        let maximumConnections: Int
        let maximumWaiting: Int

        /// - Parameter loops: How many event loops share the limits.
        init(_ backend: Backend, loops: Int) {
            responseTimeout = backend.timeouts.response.nanosecondsClamped
            idleTimeout = backend.timeouts.idle.nanosecondsClamped
            connectTimeout = backend.timeouts.connect
            maximumConnections = (backend.limits.connections + loops - 1) / loops
            maximumWaiting = (backend.limits.pending + loops - 1) / loops
        }
    }

    package let server: BackendServer
    package let settings: Settings
    /// As it stands in the log and in metrics.
    package let label: String
    package var counters = BackendCounters()
    package let responseTimeout: UInt64
    package let idleTimeout: UInt64
    /// Where WebSockets go, which need HTTP/1.1: itself, or another pool for the same server if this one may speak
    /// HTTP/2; nil for a server that speaks nothing else.
    private(set) var forUpgrades: ServerPool?
    /// In ``BackendServers/pools``.
    package private(set) var serverIndex = ServerIndex(0)
    private unowned let loop: LoopContext
    /// Until it is closed: the two hold each other.
    private var servers: BackendServers?
    private let connector: ServerConnector
    private var state: PoolState
    private var idle: [BackendConnection] = []
    private var multiplexed: [BackendMultiplexer] = []
    /// All connections that carry one request at a time.
    private var single: [BackendConnection] = []
    /// The gateway's own requests, which come before all others.
    private var ownWaiting: [UpstreamRequest] = []
    private var waiting = FairQueue<UpstreamRequest, SubjectName?>()
    /// Runs while requests wait.
    private let reliefTimer = WheelTimer()
    private var isRelieving = false
    private var isClosed = false

    /// - Parameter tls: For a server with the scheme `https`.
    init(_ server: BackendServer, _ settings: Settings, tls: BackendTLSContext?, loop: LoopContext) {
        self.server = server
        self.settings = settings
        self.loop = loop
        label = Self.label(of: server)
        responseTimeout = settings.responseTimeout
        idleTimeout = settings.idleTimeout
        connector = ServerConnector(server, tls: tls, timeout: settings.connectTimeout, loop: loop)
        state = PoolState(
            maximumConnections: settings.maximumConnections,
            maximumWaiting: settings.maximumWaiting,
            sharesConnections: server.scheme == .h2c
        )
    }

    package static func label(of server: BackendServer) -> String { "\(server.scheme.rawValue)://\(server.address)" }

    /// Whether it is for this server, whatever its weight.
    package func isFor(_ server: BackendServer) -> Bool {
        server.scheme == self.server.scheme && server.address == self.server.address
    }

    func joins(_ servers: BackendServers, at index: ServerIndex, forUpgrades: ServerPool?) {
        self.servers = servers
        serverIndex = index
        self.forUpgrades = forUpgrades
    }

    // MARK: Leasing

    package func lease(for request: UpstreamRequest) -> Lease {
        for connection in multiplexed {
            guard connector.isCurrent(connection.address) else {
                connection.drainLater()
                // Whatever became of the connection: it must not be met here again.
                retires(connection)
                return lease(for: request)
            }
            if let stream = connection.openStream() { return .server(stream) }
        }
        switch state.requestArrived(isOwn: request.details.isGatewayOwn) {
        case .useIdle:
            guard let connection = idle.popLast() else { return .refused }
            return .server(connection)
        case .waitAndConnect:
            queue(request)
            connect()
            return .waiting
        case .wait:
            queue(request)
            return .waiting
        case .refuse:
            guard let dropped = waiting.makeRoom(for: request.owner?.clientName) else { return .refused }
            state.waiterLeft()
            // Not while another's request is on its way through here.
            let number = dropped.number
            loop.atEndOfTurn { dropped.droppedFromQueue(of: self, number: number) }
            return lease(for: request)
        }
    }

    private func queue(_ request: UpstreamRequest) {
        guard !request.details.isGatewayOwn else { return ownWaiting.append(request) }
        waiting.append(request, of: request.owner?.clientName, at: loop.lastTick)
        guard !isRelieving else { return }
        isRelieving = true
        reliefTimer.target = self
        loop.timers.set(reliefTimer, loop.lastTick + Self.reliefInterval)
    }

    /// Takes out who is to be served next.
    private func nextWaiting() -> UpstreamRequest? {
        if !ownWaiting.isEmpty { return ownWaiting.removeFirst() }
        return waiting.next { address in
            var held = 0
            var total = 1
            forEachOwner { owner in
                total += 1
                if owner.clientName == address { held += 1 }
            }
            return held >= Self.share(of: total)
        }
    }

    /// Those that have a place now.
    func forEachOwner(_ body: (any UpstreamRequestOwner) -> Void) {
        for connection in single { if let owner = connection.request?.owner { body(owner) } }
        for connection in multiplexed { connection.forEachOwner(body) }
    }

    /// How many requests of other addresses have waited since `moment` or longer.
    func othersWaiting(butNot address: SubjectName?, since moment: MonotonicTime) -> Int {
        waiting.count(butNot: address, since: moment)
    }

    /// The request no longer wants a connection.
    package func forget(_ request: UpstreamRequest) {
        if let index = ownWaiting.firstIndex(where: { $0 === request }) {
            ownWaiting.remove(at: index)
        } else if !waiting.remove(request) {
            return
        }
        state.waiterLeft()
    }

    func release(_ connection: BackendConnection, at now: MonotonicTime) {
        if state.isOverfull, ownWaiting.isEmpty {
            connection.finish()
            return connection.close()
        }
        offer(connection, state.released(), at: now)
    }

    /// A connection that was idle has gone.
    func idleClosed(_ connection: BackendConnection) {
        guard let index = idle.lastIndex(where: { $0 === connection }) else { return }
        idle.remove(at: index)
        forgetSingle(connection)
        state.idleClosed()
    }

    /// A connection that was in use has gone or cannot be used again.
    func busyClosed(_ connection: BackendConnection) {
        forgetSingle(connection)
        if state.busyClosed() == .connect { connect() }
    }

    private func forgetSingle(_ connection: BackendConnection) {
        guard let index = single.firstIndex(where: { $0 === connection }) else { return }
        single.swapAt(index, single.count - 1)
        single.removeLast()
    }

    /// A connection that had been used before turned out dead: those that are idle are likely to be, too.
    func doubtIdle() {
        let doubted = idle
        for connection in doubted { connection.close() }
    }

    /// The next request shall find out anew whether a connection can be opened.
    func forgetConnections() {
        doubtIdle()
        let old = multiplexed
        for connection in old { connection.drain() }
    }

    /// Lets go of the idle connections; those in use close when they are done.
    package func close() {
        isClosed = true
        servers = nil
        if let forUpgrades, forUpgrades !== self { forUpgrades.close() }
        forUpgrades = nil
        let closing = idle
        for connection in closing { connection.close() }
        let draining = multiplexed
        for connection in draining { connection.drain() }
    }

    private func offer(_ connection: BackendConnection, _ action: PoolState.ReadyAction, at now: MonotonicTime) {
        switch action {
        case .serveWaiting where !waiting.isEmpty || !ownWaiting.isEmpty:
            nextWaiting()?.serverReady(connection)
        case .serveWaiting, .keepIdle:
            idle.append(connection)
            connection.becameIdle(at: now)
            if isClosed || !connector.isCurrent(connection.address) { connection.close() }
        }
    }

    // MARK: Connections that carry many requests

    /// One of them has room again.
    func hasRoom(_ connection: BackendMultiplexer) {
        while !waiting.isEmpty || !ownWaiting.isEmpty, let stream = connection.openStream() {
            state.waiterServed()
            guard let request = nextWaiting() else { return stream.giveBack() }
            request.serverReady(stream)
        }
    }

    /// It takes no new requests; those under way go on.
    func retires(_ connection: BackendMultiplexer) {
        guard let index = multiplexed.firstIndex(where: { $0 === connection }) else { return }
        multiplexed.remove(at: index)
        if state.sharedClosed() == .connect { connect() }
    }

    // MARK: How the server is doing

    /// The head of an answer came.
    package func answered(_ request: UpstreamRequest) {
        servers?.answered(serverIndex, begunAt: request.attemptBegunAt)
    }

    /// That a server does not take connections for WebSockets says nothing of how it does with requests.
    package func failed(_ failure: ServerFailure, begunAt: MonotonicTime) {
        guard !isForUpgradesAlone else { return }
        servers?.failed(serverIndex, failure, begunAt: begunAt)
    }

    private var isForUpgradesAlone: Bool { server.scheme == .https && forUpgrades === self }

    func attemptEnded() { servers?.ended(serverIndex) }

    package var isHealthy: Bool { servers?.isHealthy(serverIndex) ?? false }

    /// With those of connections for WebSockets.
    package var allCounters: BackendCounters {
        guard let forUpgrades, forUpgrades !== self else { return counters }
        return counters + forUpgrades.counters
    }

    // MARK: Opening

    /// Begins to open a connection, after the caller is done: even a failure that shows at once must find it waiting.
    private func connect() {
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        loop.eventLoop.execute { bound.value.open() }
    }

    private func open() {
        let begunAt = loop.lastTick
        connector.open(for: self) { self.opened($0, begunAt: begunAt) }
    }

    private func opened(_ result: Result<ServerConnector.Connected, ServerFailure>, begunAt: MonotonicTime) {
        if case .success = result, !isForUpgradesAlone { servers?.connected(serverIndex, begunAt: begunAt) }
        switch result {
        case .success(.single(let connection)): opened(connection)
        case .success(.multiplexed(let connection)): opened(connection)
        case .failure(let failure): connectFailed(failure, begunAt: begunAt)
        }
    }

    private func opened(_ connection: BackendConnection) {
        guard connection.connected() else { return connectFailed(.connectFailed, begunAt: loop.lastTick) }
        single.append(connection)
        offer(connection, state.connected(), at: loop.now())
        if state.reconsider() == .connect { connect() }
    }

    private func opened(_ connection: BackendMultiplexer) {
        guard connection.connected() else { return connectFailed(.connectFailed, begunAt: loop.lastTick) }
        state.sharedConnected()
        multiplexed.append(connection)
        hasRoom(connection)
        if state.reconsider() == .connect { connect() }
        if isClosed { connection.drain() }
    }

    private func connectFailed(_ failure: ServerFailure, begunAt: MonotonicTime) {
        counters.connectFailures += 1
        failed(failure, begunAt: begunAt)
        let action = state.failedToConnect()
        let told = (0..<action.told).compactMap { _ in
            ownWaiting.isEmpty ? waiting.next { _ in false } : ownWaiting.removeFirst()
        }
        if action.connects { connect() }
        for request in told { request.serverUnreachable(self) }
    }
}

extension ServerPool: WheelTimerTarget {
    package func deadlineMet() {
        guard !waiting.isEmpty else {
            isRelieving = false
            return loop.timers.retire(reliefTimer)
        }
        let now = loop.now()
        // With one on its way there is room.
        if state.connecting == 0 { takeBackPlaces(at: now) }
        loop.timers.set(reliefTimer, now + Self.reliefInterval)
    }
}
