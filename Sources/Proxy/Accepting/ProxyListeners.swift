import Glibc
package import NIOCore
import NIOPosix
package import Tenants

/// Opens a listening socket on each event loop for one address: the kernel spreads the connections, and each stays on
/// the loop that accepted it.
package enum ProxyListeners {
    private static let backlog: CInt = 4096

    /// The sockets of one `listen` entry.
    package struct ListeningSocket: Sendable {
        package let listener: Listener
        /// With the assigned port if 0 was configured.
        package var address: HostPort
        /// One per event loop.
        var channels: [any Channel] = []

        package func close() async {
            for channel in channels { try? await channel.close() }
        }
    }

    /// Listens, but accepts no connection yet: the kernel queues those that arrive.
    package static func open(_ listener: Listener, workers: [WorkerHandle]) async throws -> ListeningSocket {
        // With `SO_REUSEPORT` two gateways could share a port without anyone noticing.
        if ListenAddress.isTaken(listener.address) { throw IOError(errnoCode: EADDRINUSE, reason: "bind") }
        var socket = ListeningSocket(listener: listener, address: listener.address)
        do {
            for worker in workers {
                let channel = try await bind(socket.address, worker, isTLS: listener.tls)
                socket.channels.append(channel)
                if let port = channel.localAddress?.port { socket.address.port = port }
            }
        } catch {
            await socket.close()
            throw error
        }
        return socket
    }

    /// Accepts connections from now on.
    package static func unlock(_ socket: ListeningSocket) async throws {
        for channel in socket.channels { try await channel.setOption(.autoRead, value: true).get() }
    }

    private static func bind(_ address: HostPort, _ worker: WorkerHandle, isTLS: Bool) async throws -> any Channel {
        try await ServerBootstrap(group: worker.eventLoop, childGroup: worker.eventLoop)
            .serverChannelOption(.backlog, value: backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(ChannelOptions.socket(SocketOptionLevel(SOL_SOCKET), SO_REUSEPORT), value: 1)
            .serverChannelOption(.maxMessagesPerRead, value: 16)
            .serverChannelOption(.autoRead, value: false)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 32 << 10, high: 128 << 10))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let entrance = ProtocolDetectionHandler(worker: worker.worker.value, isTLS: isTLS)
                    try channel.pipeline.syncOperations.addHandler(entrance)
                }
            }
            .bind(host: address.host, port: address.port).get()
    }
}

/// A worker's handle for the rest of the process: only the worker's own event loop can open it.
package struct WorkerHandle: Sendable {
    package let eventLoop: any EventLoop
    package let worker: NIOLoopBound<Worker>

    package init(eventLoop: any EventLoop, worker: NIOLoopBound<Worker>) {
        self.eventLoop = eventLoop
        self.worker = worker
    }

    /// Runs `body` on the worker's event loop.
    package func ask<Answer: Sendable>(_ body: @escaping @Sendable (Worker) -> Answer) async throws -> Answer {
        let worker = self.worker
        return try await eventLoop.submit { body(worker.value) }.get()
    }

    /// Runs `body` on the worker's event loop without waiting for it.
    package func tell(_ body: @escaping @Sendable (Worker) -> Void) {
        let worker = self.worker
        eventLoop.execute { body(worker.value) }
    }
}
