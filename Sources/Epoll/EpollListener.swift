import CEpoll
import Glibc
package import NIOCore

/// A listening socket of one loop. The kernel divides the connections between the loops that listen on one address;
/// ``ConnectionSpread`` evens out what it divides unevenly.
///
/// `@unchecked Sendable`: what changes is touched on the loop's own thread alone.
package final class EpollListener: EpollSource, @unchecked Sendable {
    /// How many connections are accepted in one turn of the loop: its other sockets wait meanwhile.
    private static let connectionsPerTurn = 16
    /// How long accepting pauses when the process has no descriptor or memory left for a connection.
    private static let pause = TimeAmount.milliseconds(100)

    private enum State {
        /// Not started, or in a pause: the kernel keeps connections waiting.
        case waiting
        case accepting(SourceTable.Key)
        case closed
    }

    /// The address that it listens on; instead of port 0, the port that the system chose.
    package let address: SocketAddress
    private let descriptor: CInt
    private let loop: EpollLoop
    private let serving: [ServingLoop]
    private let index: Int
    private var state = State.waiting

    /// Listens, but accepts no connection before ``start()``.
    ///
    /// - Parameters:
    ///   - backlog: How many connections the kernel keeps waiting.
    ///   - serving: The loops that listen on this address and serve its connections.
    ///   - index: Of the one among them that this listener belongs to.
    /// - Throws: `IOError` if the address cannot be listened on.
    package init(
        _ address: SocketAddress,
        backlog: CInt,
        among serving: [ServingLoop],
        at index: Int = 0
    ) throws {
        descriptor = try SystemSocket.make(for: address)
        do {
            try SystemSocket.turnOn(SO_REUSEADDR, of: descriptor)
            try SystemSocket.turnOn(SO_REUSEPORT, of: descriptor)
            // The connections inherit it.
            try SystemSocket.turnOn(TCP_NODELAY, level: CInt(IPPROTO_TCP), of: descriptor)
            // Otherwise a read ends at an urgent octet, which looks like an empty socket.
            try SystemSocket.turnOn(SO_OOBINLINE, of: descriptor)
            let descriptor = descriptor
            guard address.withSockAddr({ Glibc.bind(descriptor, $0, socklen_t($1)) }) == 0 else {
                throw IOError(errnoCode: errno, reason: "bind")
            }
            guard listen(descriptor, backlog) == 0 else { throw IOError(errnoCode: errno, reason: "listen") }
            self.address = try SystemSocket.localAddress(of: descriptor)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        loop = serving[index].loop
        self.serving = serving
        self.index = index
    }

    /// Begins to accept connections.
    ///
    /// - Throws: `IOError`
    package func start() async throws { try await loop.submit { try self.accept() }.get() }

    /// Stops accepting; connections that the kernel kept waiting are reset.
    package func close() async { try? await loop.submit { self.closeNow() }.get() }

    private func accept() throws {
        guard case .waiting = state else { return }
        state = .accepting(try loop.add(self, descriptor, events: gatehouse_epoll_readable))
    }

    private func closeNow() {
        switch state {
        case .accepting(let key): loop.remove(key)
        case .waiting: break
        case .closed: return
        }
        state = .closed
        Glibc.close(descriptor)
    }

    func ready(_ events: UInt32) {
        for _ in 0..<Self.connectionsPerTurn {
            guard case .accepting = state else { return }
            let (accepted, peer) = SystemSocket.accept(from: descriptor)
            guard accepted >= 0 else {
                switch errno {
                case EAGAIN: return
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: return pause()
                // The connection was lost before it was accepted.
                default: continue
                }
            }
            let counts = serving.map { $0.loop.acceptedConnections.load(ordering: .relaxed) }
            serving[ConnectionSpread.loop(for: index, counts: counts)].serve(accepted, from: peer)
        }
    }

    func resume() {}

    func loopStops() { closeNow() }

    private func pause() {
        guard case .accepting(let key) = state else { return }
        loop.remove(key)
        _ = gatehouse_epoll_remove(loop.epoll, descriptor)
        state = .waiting
        startLater()
    }

    private func startLater() {
        loop.assumeIsolated().scheduleTask(in: Self.pause) {
            do { try self.accept() } catch { self.startLater() }
        }
    }
}
