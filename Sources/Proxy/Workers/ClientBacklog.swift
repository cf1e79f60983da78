import Epoll
package import NIOCore
import NIOSSL
package import Time

/// Response bytes that a connection holds because the client has not taken them, and how fast it takes them.
package struct ClientBacklog {
    /// The total over all connections of a worker.
    package struct Total {
        package var bytes = 0
        /// Bytes; above it the slowest connections are closed until the total is within it.
        package var limit = 64 << 20
        var isReductionDue = false
    }

    /// A new backlog starts with this many bytes presumed read in the last second: a short measurement says little.
    private static let presumed = 65_536.0

    package private(set) var bytes = 0
    private var beganAt = MonotonicTime.distantPast
    private var takenBefore: UInt64 = 0
    private var taken: UInt64 = 0

    /// Updates the held bytes and returns the change.
    ///
    /// - Parameters:
    ///   - taken: All bytes that the client has taken on this connection.
    package mutating func update(bytes: Int, taken: UInt64, at now: MonotonicTime) -> Int {
        if self.bytes == 0 {
            beganAt = now
            takenBefore = taken
        }
        self.taken = taken
        defer { self.bytes = bytes }
        return bytes - self.bytes
    }

    /// Bytes per second that the client has taken since the backlog began.
    package func rate(at now: MonotonicTime) -> Double {
        let seconds = now > beganAt ? Double(now - beganAt) / 1_000_000_000 : 0
        let count = taken > takenBefore ? Double(taken - takenBefore) : 0
        return (count + Self.presumed) / (seconds + 1)
    }
}

extension Worker {
    /// A connection's held bytes have changed by this many.
    func backlogChanged(by change: Int) {
        connections.backlog.bytes += change
        let backlog = connections.backlog
        guard backlog.bytes > backlog.limit, !backlog.isReductionDue else { return }
        connections.backlog.isReductionDue = true
        // Deferred: the connection to close may be in the middle of an operation.
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { bound.value.reduceBacklog() }
    }

    /// Closes the slowest connections until the total is within its limit.
    private func reduceBacklog() {
        connections.backlog.isReductionDue = false
        while connections.backlog.bytes > connections.backlog.limit {
            let holding = connections.all.filter { $0.backlog.bytes > 0 }
            guard let slowest = holding.min(by: { $0.backlog.rate(at: lastTick) < $1.backlog.rate(at: lastTick) })
            else { return }
            loop.loggers.clients.debug(
                "connection of a slow reader is closed",
                metadata: ["bytes": "\(slowest.backlog.bytes)"]
            )
            slowest.closeForBacklog()
        }
    }
}

extension ChannelHandlerContext {
    /// Bytes written that the socket has not taken.
    var unsentBytes: Int { (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

    /// Resets the connection and drops unwritten bytes. Bypasses the TLS library, which would wait for the client, and
    /// whose close_notify would mark this as a proper end.
    package func reset() {
        (channel as? EpollChannel)?.resetOnClose()
        let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        (tls ?? self).close(promise: nil)
    }
}
