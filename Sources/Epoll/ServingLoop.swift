import Glibc
import NIOCore

/// A loop that serves connections of a listener, whichever loop has accepted them.
package struct ServingLoop: Sendable {
    package let loop: EpollLoop
    private let settings: ChannelSettings
    private let fill: @Sendable (EpollChannel) throws -> Void

    /// - Parameter fill: Adds the handlers of a new connection, on the loop.
    package init(
        _ loop: EpollLoop,
        _ settings: ChannelSettings = ChannelSettings(),
        fill: @escaping @Sendable (EpollChannel) throws -> Void
    ) {
        self.loop = loop
        self.settings = settings
        self.fill = fill
    }

    /// Serves an accepted connection, whose descriptor belongs to the loop from now on. Called on any thread.
    func serve(_ descriptor: CInt, from peer: SocketAddress?) {
        loop.acceptedConnections.add(1, ordering: .relaxed)
        if loop.inEventLoop { return open(descriptor, peer) }
        guard loop.post({ open(descriptor, peer) }) else {
            loop.acceptedConnections.subtract(1, ordering: .relaxed)
            Glibc.close(descriptor)
            return
        }
    }

    private func open(_ descriptor: CInt, _ peer: SocketAddress?) {
        let channel = EpollChannel(descriptor, to: peer, on: loop, settings)
        channel.isAccepted = true
        do {
            try fill(channel)
            channel.activate()
        } catch {
            channel.close0(error: error, mode: .all, promise: nil)
        }
    }
}
