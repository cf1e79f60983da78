import Epoll
package import NIOCore
import NIOSSL
package import Time

/// Bytes of answers that a client's connection holds because the client has not taken them, and how fast it takes them.
package struct ClientBacklog {
    /// What is held for all connections of a worker.
    package struct Total {
        package var bytes = 0
        /// With more, the connections that take the least a second are closed until it is kept.
        package var limit = 64 << 20
        var isReductionDue = false
    }

    /// A connection that has just begun to hold bytes is taken for one that has read so many in the last second: a short
    /// time says little.
    private static let presumed = 65_536.0

    package private(set) var bytes = 0
    private var beganAt = MonotonicTime.distantPast
    private var takenBefore: UInt64 = 0
    private var taken: UInt64 = 0

    /// Notes how much is held now. Gives the change.
    ///
    /// - Parameters:
    ///   - taken: All bytes that the client has taken since it came.
    package mutating func update(bytes: Int, taken: UInt64, at now: MonotonicTime) -> Int {
        if self.bytes == 0 {
            beganAt = now
            takenBefore = taken
        }
        self.taken = taken
        defer { self.bytes = bytes }
        return bytes - self.bytes
    }

    /// Bytes a second that the client has taken since bytes are held for it.
    package func rate(at now: MonotonicTime) -> Double {
        let seconds = now > beganAt ? Double(now - beganAt) / 1_000_000_000 : 0
        let count = taken > takenBefore ? Double(taken - takenBefore) : 0
        return (count + Self.presumed) / (seconds + 1)
    }
}

extension Worker {
    /// Takes note that a connection holds more or less than before.
    func backlogChanged(by change: Int) {
        connections.backlog.bytes += change
        let backlog = connections.backlog
        guard backlog.bytes > backlog.limit, !backlog.isReductionDue else { return }
        connections.backlog.isReductionDue = true
        // Not from here: the connection that is to be closed may be in the middle of something.
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { bound.value.reduceBacklog() }
    }

    /// Closes the connections of the slowest readers until what is held is within its limit.
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
    /// Bytes that were written and that the socket has not taken.
    var unsentBytes: Int { (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

    /// Ends the connection by a reset, without what is unwritten; past the TLS library, which would wait for the client
    /// and whose close_notify would say that this is the proper end.
    package func reset() {
        (channel as? EpollChannel)?.resetOnClose()
        let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        (tls ?? self).close(promise: nil)
    }
}
