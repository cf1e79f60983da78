import Authorization
package import Counting
import NIOCore
package import Tenants
package import Time

/// One event loop's connections to one server, and the requests that wait for them. An HTTP/2 connection takes requests
/// while it has free streams; otherwise an idle connection is used, or another one is opened.
package final class ServerPool {
    package enum Lease {
        case server(any UpstreamServer)
        /// The request is called when there is a connection, or when there is none to be had.
        case waiting
        case refused
    }

    /// The list of servers that gets this server's results.
    private enum Listing {
        /// None: the pool belongs to a health check.
        case unlisted
        /// The list and the pool reference each other until the pool is closed.
        case listed(BackendServers, ServerIndex)
        /// - Parameter index: In the last list, since the pool's requests may still ask for it.
        case closed(index: ServerIndex?)
    }

    package let server: BackendServer
    package let settings: Settings
    /// As written in the log and in metrics.
    package let label: String
    package var counters = BackendCounters()
    /// Why the last attempt to connect failed; nil if it did not.
    package private(set) var problem: ConnectProblem?
    private let upgrades: Upgrades
    private var listing = Listing.unlisted
    private unowned let loop: LoopContext
    private let connector: ServerConnector
    private var state: PoolState
    private var connections = ServerConnections()
    private var waiting = WaitingRequests()
    /// Servers for the next waiting requests, handed out at the end of the loop's turn.
    private var promised: [any UpstreamServer] = []
    /// Set while client requests wait.
    private let reliefTimer = WheelTimer()

    /// - Parameter tls: For a server with the scheme `https`.
    init(
        _ server: BackendServer,
        _ settings: Settings,
        tls: BackendTLSContext? = nil,
        upgrades: Upgrades,
        loop: LoopContext
    ) {
        self.server = server
        self.settings = settings
        self.upgrades = upgrades
        self.loop = loop
        label = Self.label(of: server)
        connector = ServerConnector(server, tls: tls, timeout: settings.connectTimeout, loop: loop)
        state = PoolState(
            maximumConnections: settings.maximumConnections,
            maximumWaiting: settings.maximumWaiting,
            sharesConnections: server.scheme == .h2c
        )
    }

    package static func label(of server: BackendServer) -> String { "\(server.scheme.rawValue)://\(server.address)" }

    package var responseTimeout: UInt64 { settings.responseTimeout }
    package var idleTimeout: UInt64 { settings.idleTimeout }

    /// Whether it is for this server, whatever its weight.
    package func isFor(_ server: BackendServer) -> Bool {
        server.scheme == self.server.scheme && server.address == self.server.address
    }

    func joins(_ servers: BackendServers, at index: ServerIndex) {
        listing = .listed(servers, index)
        if case .elsewhere(let other) = upgrades { other.joins(servers, at: index) }
    }

    /// In ``BackendServers/pools``; nil if it never was in a list.
    package var serverIndex: ServerIndex? {
        switch listing {
        case .unlisted: nil
        case .listed(_, let index): index
        case .closed(let index): index
        }
    }

    private var isClosed: Bool {
        switch listing {
        case .unlisted, .listed: false
        case .closed: true
        }
    }

    /// The pool for WebSockets; nil if the server cannot take them.
    var forUpgrades: ServerPool? {
        switch upgrades {
        case .here, .hereAlone: self
        case .elsewhere(let other): other
        case .nowhere: nil
        }
    }

    // MARK: Leasing

    package func lease(for request: UpstreamRequest) -> Lease {
        for connection in connections.multiplexed {
            guard connector.isCurrent(connection.address) else {
                connection.drainLater()
                // It must not be chosen again.
                retires(connection)
                return lease(for: request)
            }
            if let stream = connection.openStream() { return .server(stream) }
        }
        switch advance({ $0.requestArrived(isOwn: request.details.origin == .gateway) }) {
        case .useIdle:
            guard let connection = connections.takeIdle() else {
                loop.failedInternally(.serverPool, "an idle connection that is not in the list")
                // The count that included it is free again.
                if advance({ $0.busyClosed() }) == .connect { connect() }
                return .refused
            }
            return .server(connection)
        case .waitAndConnect:
            queue(request)
            connect()
            return .waiting
        case .wait:
            queue(request)
            return .waiting
        case .refuse:
            guard state.unpromised > 0, let dropped = waiting.evict(for: request.owner?.clientName) else {
                return .refused
            }
            advance { $0.waiterLeft() }
            // Not during another request's call.
            let number = dropped.number
            loop.atEndOfTurn { dropped.droppedFromQueue(of: self, number: number) }
            return lease(for: request)
        }
    }

    /// The only way to the counts.
    @inline(__always)
    private func advance<Outcome>(_ event: (inout PoolState) -> Outcome) -> Outcome {
        let outcome = event(&state)
        if !state.isConsistent {
            state.restoreCounts()
            loop.failedInternally(.serverPool, "a count of connections or requests below zero")
        }
        return outcome
    }

    private func queue(_ request: UpstreamRequest) {
        if !waiting.append(request, at: loop.lastTick) {
            advance { $0.waiterLeft() }
            loop.failedInternally(.serverPool, "a request waits twice")
        }
        guard waiting.hasClients, reliefTimer.deadline == WheelTimer.never else { return }
        reliefTimer.target = self
        loop.timers.set(reliefTimer, loop.lastTick + Self.reliefInterval)
    }

    /// Takes out the request to serve next.
    private func nextWaiting() -> UpstreamRequest? {
        waiting.next { address in
            var held = 0
            var total = 1
            connections.forEachOwner { owner in
                total += 1
                if owner.clientName == address { held += 1 }
            }
            return held >= Self.share(of: total)
        }
    }

    /// The owners of the requests that have a connection.
    func forEachOwner(_ body: (any UpstreamRequestOwner) -> Void) { connections.forEachOwner(body) }

    /// How many requests of other addresses have waited since `moment` or longer.
    func othersWaiting(butNot address: SubjectName?, since moment: MonotonicTime) -> Int {
        waiting.count(butNot: address, since: moment)
    }

    /// The request no longer wants a connection.
    package func forget(_ request: UpstreamRequest) {
        if waiting.remove(request) { advance { $0.waiterLeft() } }
    }

    func release(_ connection: BackendConnection, at now: MonotonicTime) {
        if state.isOverfull, !waiting.hasOwn {
            connection.finish()
            return connection.close()
        }
        offer(connection, advance({ $0.released() }), at: now)
    }

    /// A connection that was idle has gone.
    func idleClosed(_ connection: BackendConnection) {
        if connections.idleClosed(connection) { advance { $0.idleClosed() } }
    }

    /// A connection that was in use has gone or cannot be used again.
    func busyClosed(_ connection: BackendConnection) {
        connections.closed(connection)
        if advance({ $0.busyClosed() }) == .connect { connect() }
    }

    /// A used connection turned out dead: idle ones probably are too.
    func doubtIdle() {
        // Each leaves the list when its channel is closed, which may be at once.
        let doubted = connections.idle
        for connection in doubted { connection.close() }
    }

    /// The next request has to open a new connection.
    func forgetConnections() {
        doubtIdle()
        drainMultiplexed()
    }

    /// Closes the idle connections now, and those in use when they are done.
    package func close() {
        listing = .closed(index: serverIndex)
        if case .elsewhere(let other) = upgrades { other.close() }
        doubtIdle()
        drainMultiplexed()
    }

    private func drainMultiplexed() {
        let draining = connections.multiplexed
        for connection in draining { connection.drain() }
    }

    private func offer(_ connection: BackendConnection, _ action: PoolState.ReadyAction, at now: MonotonicTime) {
        switch action {
        case .promise: promise(connection)
        case .keepIdle:
            connections.becameIdle(connection)
            connection.becameIdle(at: now)
            if isClosed || !connector.isCurrent(connection.address) { connection.close() }
        }
    }

    // MARK: Promises

    /// Gives a server to the next request, but deferred: another exchange is in the middle of an operation.
    private func promise(_ server: any UpstreamServer) {
        promised.append(server)
        if promised.count == 1 { loop.atEndOfTurn { [self] in keepPromises() } }
    }

    private func keepPromises() {
        let servers = promised
        promised = []
        for server in servers {
            guard server.canBegin, let request = nextWaiting() else {
                // Count it as no connection at all: otherwise a server that closes each one would make us open them
                // forever.
                if !server.canBegin, server.isUntried, let request = nextWaiting() {
                    advance { $0.waiterLeft() }
                    note(.closed, begunAt: loop.lastTick)
                    failUnreachable(request)
                }
                withdrawPromise()
                server.giveBack()
                continue
            }
            advance { $0.promiseKept() }
            request.serverReady(server)
        }
    }

    private func withdrawPromise() {
        switch advance({ $0.promiseWithdrawn() }) {
        case .nothing: break
        case .connect: connect()
        case .promiseIdle:
            guard let connection = connections.takeIdle() else {
                return loop.failedInternally(.serverPool, "an idle connection that is not in the list")
            }
            connection.becameLeased()
            promise(connection)
        }
    }

    // MARK: Connections that carry many requests

    /// A multiplexed connection has at least one free stream.
    func streamAvailable(_ connection: BackendMultiplexer) {
        while state.unpromised > 0, let stream = connection.openStream() {
            advance { $0.streamPromised() }
            promise(stream)
        }
    }

    /// It takes no new requests; those under way continue.
    func retires(_ connection: BackendMultiplexer) {
        if connections.retired(connection), advance({ $0.sharedClosed() }) == .connect { connect() }
    }

    // MARK: Health

    /// The head of a response arrived.
    package func answered(_ request: UpstreamRequest) {
        if case .listed(let servers, let index) = listing { servers.answered(index, begunAt: request.attemptBegunAt) }
    }

    /// Refused WebSocket connections say nothing about other requests.
    package func failed(_ failure: ServerFailure, begunAt: MonotonicTime) {
        if isForUpgradesAlone { return }
        if case .listed(let servers, let index) = listing { servers.failed(index, failure, begunAt: begunAt) }
    }

    private func note(_ problem: ConnectProblem, begunAt: MonotonicTime) {
        counters.connectFailures += 1
        self.problem = problem
        // That one is logged with the address.
        if case .anotherName = problem {
        } else {
            loop.reachability.lost(label, problem, at: loop.now(), loop.loggers.backends)
        }
        failed(problem.failure, begunAt: begunAt)
    }

    private func connected(begunAt: MonotonicTime) {
        problem = nil
        loop.reachability.found(label, at: loop.now(), loop.loggers.backends)
        if isForUpgradesAlone { return }
        if case .listed(let servers, let index) = listing { servers.connected(index, begunAt: begunAt) }
    }

    private var isForUpgradesAlone: Bool {
        switch upgrades {
        case .hereAlone: true
        case .here, .elsewhere, .nowhere: false
        }
    }

    func attemptEnded() {
        if case .listed(let servers, let index) = listing { servers.ended(index) }
    }

    package var isHealthy: Bool {
        switch listing {
        case .listed(let servers, let index): servers.isHealthy(index)
        case .unlisted, .closed: false
        }
    }

    /// Includes the pool for WebSockets.
    package var allCounters: BackendCounters {
        switch upgrades {
        case .here, .hereAlone, .nowhere: counters
        case .elsewhere(let other): counters + other.counters
        }
    }

    // MARK: Opening

    /// Begins to open a connection, after the caller is done: even an immediate failure must find its request waiting.
    private func connect() {
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        loop.eventLoop.execute { bound.value.open() }
    }

    private func open() {
        let begunAt = loop.lastTick
        connector.open(for: self) { self.opened($0, begunAt: begunAt) }
    }

    func opened(_ result: Result<ServerConnector.Connected, ConnectProblem>, begunAt: MonotonicTime) {
        switch result {
        case .success(.single(let connection)):
            connected(begunAt: begunAt)
            opened(connection)
        case .success(.multiplexed(let connection)):
            connected(begunAt: begunAt)
            opened(connection)
        case .failure(let problem): connectFailed(problem, begunAt: begunAt)
        }
    }

    private func opened(_ connection: BackendConnection) {
        guard connection.connected() else { return connectFailed(.closed, begunAt: loop.lastTick) }
        connections.opened(connection)
        offer(connection, advance({ $0.connected() }), at: loop.now())
        if advance({ $0.reconsider() }) == .connect { connect() }
    }

    private func opened(_ connection: BackendMultiplexer) {
        guard connection.connected() else { return connectFailed(.closed, begunAt: loop.lastTick) }
        advance { $0.sharedConnected() }
        connections.opened(connection)
        streamAvailable(connection)
        if advance({ $0.reconsider() }) == .connect { connect() }
        // Not before the promised streams have begun.
        if isClosed { loop.atEndOfTurn { connection.drain() } }
    }

    private func connectFailed(_ problem: ConnectProblem, begunAt: MonotonicTime) {
        note(problem, begunAt: begunAt)
        let action = advance { $0.failedToConnect() }
        let failing = (0..<action.failing).compactMap { _ in waiting.next { _ in false } }
        if action.connects { connect() }
        for request in failing { failUnreachable(request) }
    }

    private func failUnreachable(_ request: UpstreamRequest) {
        let number = request.number
        loop.atEndOfTurn { request.serverUnreachable(self, number: number) }
    }
}

extension ServerPool: WheelTimerTarget {
    package func deadlineMet() {
        guard waiting.hasClients else { return loop.timers.retire(reliefTimer) }
        let now = loop.now()
        // While one is being opened there is capacity.
        if state.connecting == 0 { takeBackPlaces(at: now) }
        loop.timers.set(reliefTimer, now + Self.reliefInterval)
    }
}
