import Glibc
package import NIOCore

/// Why there is no connection.
package enum ConnectFailure: Error, Equatable {
    case timedOut
    /// - Parameter errno: As the system gave it.
    case failed(CInt)
    /// The pipeline could not be filled.
    case unusable
}

/// A connection that is being established: its time limit, and the callback for its failure.
final class Connecting {
    private var failed: ((ConnectFailure) -> Void)?
    private var timeout: Scheduled<Void>?

    init(_ failed: @escaping (ConnectFailure) -> Void) { self.failed = failed }

    func fail(in limit: TimeAmount, on loop: EpollLoop, _ channel: EpollChannel) {
        timeout = loop.assumeIsolated().scheduleTask(in: limit) {
            self.fail(.timedOut)
            channel.close0(error: ConnectFailure.timedOut, mode: .all, promise: nil)
        }
    }

    func succeed() {
        timeout?.cancel()
        timeout = nil
        failed = nil
    }

    func fail(_ failure: ConnectFailure) {
        timeout?.cancel()
        timeout = nil
        failed.take()?(failure)
    }
}

extension EpollChannel {
    /// Connects to a server. The handlers that `fill` adds get `channelActive` when the connection is established.
    ///
    /// - Parameters:
    ///   - limit: How long it may take.
    ///   - fill: Adds the handlers.
    ///   - failed: Called once if the connection fails, on the loop, never before this returns.
    package static func connect(
        to address: SocketAddress,
        on loop: EpollLoop,
        within limit: TimeAmount,
        _ settings: ChannelSettings = ChannelSettings(),
        fill: (EpollChannel) throws -> Void,
        failed: @escaping (ConnectFailure) -> Void
    ) {
        loop.assertInEventLoop()
        let connecting = Connecting { failure in
            loop._executeIsolatedUnsafeUnchecked { failed(failure) }
        }
        do {
            let channel = EpollChannel(try SystemSocket.make(for: address), to: address, on: loop, settings)
            do {
                try SystemSocket.turnOn(TCP_NODELAY, level: CInt(IPPROTO_TCP), of: channel.descriptor)
                try SystemSocket.turnOn(SO_OOBINLINE, of: channel.descriptor)
                try fill(channel)
            } catch {
                connecting.fail(.unusable)
                return channel.close0(error: error, mode: .all, promise: nil)
            }
            channel.connect(connecting, to: address, within: limit)
        } catch {
            connecting.fail(.failed((error as? IOError)?.errnoCode ?? EIO))
        }
    }

    private func connect(_ connecting: Connecting, to address: SocketAddress, within limit: TimeAmount) {
        // A handler may have closed the channel when it was added.
        guard !isClosed else { return connecting.fail(.unusable) }
        let outcome = address.withSockAddr { Glibc.connect(descriptor, $0, socklen_t($1)) }
        guard outcome == 0 || errno == EINPROGRESS else {
            let error = errno
            connecting.fail(.failed(error))
            return close0(error: IOError(errnoCode: error, reason: "connect"), mode: .all, promise: nil)
        }
        // A connection that is established at once is reported by the first event.
        connecting.fail(in: limit, on: loop, self)
        wait(connecting)
    }
}
