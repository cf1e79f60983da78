package import Epoll
import Glibc
package import NIOCore
package import Tenants

/// Opens a listening socket on each event loop for one address. The kernel spreads the connections; a loop that has more
/// than others hands new ones over, and from then on each stays on its loop.
package enum ProxyListeners {
    private static let backlog: CInt = 4096

    /// The sockets of one `listen` entry.
    package struct ListeningSocket: Sendable {
        package let listener: Listener
        /// With the assigned port if 0 was configured.
        package var address: HostPort
        /// One per event loop.
        var listeners: [EpollListener] = []

        package func close() async {
            for listener in listeners { await listener.close() }
        }
    }

    /// Listens, but accepts no connection yet: the kernel queues those that arrive.
    package static func open(_ listener: Listener, workers: [WorkerHandle]) async throws -> ListeningSocket {
        // With `SO_REUSEPORT` two gateways could share a port without anyone noticing.
        if ListenAddress.isTaken(listener.address) { throw IOError(errnoCode: EADDRINUSE, reason: "bind") }
        var socket = ListeningSocket(listener: listener, address: listener.address)
        let serving = workers.map { servingLoop(of: $0, isTLS: listener.tls) }
        do {
            for index in serving.indices {
                let part = try await listen(on: socket.address, serving, index)
                socket.listeners.append(part)
                if let port = part.address.port { socket.address.port = port }
            }
        } catch {
            await socket.close()
            throw error
        }
        return socket
    }

    /// Accepts connections from now on.
    package static func unlock(_ socket: ListeningSocket) async throws {
        for listener in socket.listeners { try await listener.start() }
    }

    private static func servingLoop(of worker: WorkerHandle, isTLS: Bool) -> ServingLoop {
        let (loop, worker) = (worker.eventLoop, worker.worker)
        return ServingLoop(loop) { channel in
            let entrance = ProtocolDetectionHandler(worker: worker.value, isTLS: isTLS)
            try channel.pipeline.syncOperations.addHandler(entrance)
        }
    }

    private static func listen(
        on address: HostPort,
        _ serving: [ServingLoop],
        _ index: Int
    ) async throws -> EpollListener {
        let resolved = try SocketAddress.makeAddressResolvingHost(address.host, port: address.port)
        return try await serving[index].loop.submit {
            try EpollListener(resolved, backlog: backlog, among: serving, at: index)
        }.get()
    }
}

/// A worker's handle for the rest of the process: only the worker's own event loop can open it.
package struct WorkerHandle: Sendable {
    package let eventLoop: EpollLoop
    package let worker: NIOLoopBound<Worker>

    package init(eventLoop: EpollLoop, worker: NIOLoopBound<Worker>) {
        self.eventLoop = eventLoop
        self.worker = worker
    }

    /// Runs `body` on the worker's event loop.
    package func submit<Result: Sendable>(_ body: @escaping @Sendable (Worker) -> Result) async throws -> Result {
        let worker = self.worker
        return try await eventLoop.submit { body(worker.value) }.get()
    }

    /// Runs `body` on the worker's event loop without waiting for it.
    package func execute(_ body: @escaping @Sendable (Worker) -> Void) {
        let worker = self.worker
        eventLoop.execute { body(worker.value) }
    }
}
