import NIOCore
import NIOPosix
import Tenants

/// One event loop's connections to one server. The last one used is used first, so that idle ones can be let go.
final class ServerPool {
    enum Lease {
        case connection(BackendConnection)
        /// The client will be told when there is one, or that there is none.
        case waiting
        case refused
    }

    let server: BackendServer
    /// As it stands in the log and in metrics.
    let label: String
    var counters = BackendCounters()
    let responseTimeout: UInt64
    let idleTimeout: UInt64
    private let connectTimeout: TimeAmount
    private unowned let worker: Worker
    private var state: PoolState
    private var idle: [BackendConnection] = []
    private var waiting: [ClientConnection] = []
    private var isClosed = false

    init(_ server: BackendServer, backend: Backend, worker: Worker, loops: Int) {
        self.server = server
        self.worker = worker
        label = "\(server.scheme.rawValue)://\(server.address)"
        responseTimeout = backend.timeouts.response.nanosecondsClamped
        idleTimeout = backend.timeouts.idle.nanosecondsClamped
        connectTimeout = .nanoseconds(Int64(clamping: backend.timeouts.connect.nanosecondsClamped))
        state = PoolState(
            maximumConnections: (backend.limits.connections + loops - 1) / loops,
            maximumWaiting: (backend.limits.pending + loops - 1) / loops
        )
    }

    func lease(for client: ClientConnection) -> Lease {
        switch state.requestArrived() {
        case .useIdle:
            guard let connection = idle.popLast() else { return .refused }
            return .connection(connection)
        case .waitAndConnect:
            waiting.append(client)
            connect()
            return .waiting
        case .wait:
            waiting.append(client)
            return .waiting
        case .refuse:
            return .refused
        }
    }

    /// The client no longer wants a connection.
    func forget(_ client: ClientConnection) {
        guard let place = waiting.firstIndex(where: { $0 === client }) else { return }
        waiting.remove(at: place)
        state.waiterLeft()
    }

    /// - Parameter now: Monotonic nanoseconds.
    func release(_ connection: BackendConnection, at now: UInt64) {
        offer(connection, state.released(), at: now)
    }

    /// A connection that was idle has gone.
    func idleClosed(_ connection: BackendConnection) {
        guard let place = idle.lastIndex(where: { $0 === connection }) else { return }
        idle.remove(at: place)
        state.idleClosed()
    }

    /// A connection that was in use has gone or cannot be used again.
    func busyClosed() {
        if state.busyClosed() == .connect { connect() }
    }

    /// Lets go of the idle connections; those in use close when they are done.
    func close() {
        isClosed = true
        let closing = idle
        for connection in closing { connection.close() }
    }

    private func offer(_ connection: BackendConnection, _ action: PoolState.ReadyAction, at now: UInt64) {
        switch action {
        case .serveWaiting where !waiting.isEmpty:
            waiting.removeFirst().serverReady(connection)
        case .serveWaiting, .keepIdle:
            idle.append(connection)
            connection.becameIdle(at: now)
            if isClosed { connection.close() }
        }
    }

    // MARK: Opening

    /// Begins to open a connection, after the caller is done: even a failure that shows at once must find it waiting.
    private func connect() {
        let bound = NIOLoopBound(self, eventLoop: worker.eventLoop)
        worker.eventLoop.execute { bound.value.open() }
    }

    private func open() {
        let bound = NIOLoopBound(self, eventLoop: worker.eventLoop)
        let bootstrap = ClientBootstrap(group: worker.eventLoop)
            .connectTimeout(connectTimeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.maxMessagesPerRead, value: 4)
            .channelOption(.writeBufferWaterMark, value: .init(low: 32 << 10, high: 128 << 10))
            .channelInitializer { channel in
                // A name with several addresses is tried on several channels at once; each needs a handler of its own.
                channel.eventLoop.makeCompletedFuture {
                    let connection = BackendConnection(pool: bound.value, worker: bound.value.worker)
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
        connect(bootstrap).assumeIsolated().whenComplete { result in
            let channel = try? result.get()
            let connection = try? channel?.pipeline.syncOperations.handler(type: BackendConnection.self)
            guard let connection, connection.connected() else { return self.connectFailed() }
            self.offer(connection, self.state.connected(), at: self.worker.now())
        }
    }

    /// An address is used as it is; only a name has to be looked up, off the loop.
    private func connect(_ bootstrap: ClientBootstrap) -> EventLoopFuture<any Channel> {
        if let address = try? SocketAddress(ipAddress: server.address.host, port: server.address.port) {
            return bootstrap.connect(to: address)
        }
        return bootstrap.connect(host: server.address.host, port: server.address.port)
    }

    private func connectFailed() {
        counters.connectFailures += 1
        let action = state.failedToConnect()
        let told = waiting.prefix(action.told)
        waiting.removeFirst(told.count)
        if action.connects { connect() }
        for client in told { client.serverUnreachable(self) }
    }
}

extension Duration {
    /// Whole nanoseconds, at most 2^62.
    var nanosecondsClamped: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds < 1 << 32 else { return 1 << 62 }
        return UInt64(clamping: seconds) * 1_000_000_000 + UInt64(clamping: attoseconds / 1_000_000_000)
    }
}
