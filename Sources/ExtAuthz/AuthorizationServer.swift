internal import NIOCore
public import NIOPosix
internal import Synchronization

/// The listener for Envoy's queries, with gRPC in plain text.
public final class AuthorizationServer: Sendable {
    /// Bytes of a query besides the head in it: lengths, addresses, a certificate.
    private static let otherBytes = 64 << 10

    private struct Serving {
        var listener: (any Channel)?
        var isStopping = false
        var connections: [ObjectIdentifier: any Channel] = [:]
    }

    private let address: SocketAddress
    private let maximumMessageLength: Int
    private let idleTime: TimeAmount
    private let eventLoops: MultiThreadedEventLoopGroup
    private let authorizer: any CheckHandler
    private let limit: ConnectionLimit
    private let serving = Mutex(Serving())

    /// - Parameters:
    ///   - host: An IP address or a name.
    ///   - port: 0 for any free one.
    ///   - maximumHeadBytes: Of the described request; queries with a longer one are refused before they are read.
    ///   - idleTimeout: How long a connection may be without a query.
    ///   - eventLoops: Where connections are served.
    /// - Throws: If there is no such host.
    public init(
        host: String,
        port: Int,
        maximumHeadBytes: Int,
        idleTimeout: Duration,
        eventLoops: MultiThreadedEventLoopGroup,
        authorizer: any CheckHandler
    ) throws {
        address = try SocketAddress.makeAddressResolvingHost(host, port: port)
        maximumMessageLength = maximumHeadBytes + Self.otherBytes
        idleTime = TimeAmount(idleTimeout)
        self.eventLoops = eventLoops
        self.authorizer = authorizer
        limit = ConnectionLimit(authorizer: authorizer)
    }

    /// Begins to serve.
    ///
    /// - Returns: The port.
    /// - Throws: If the address cannot be bound.
    public func start() async throws -> Int {
        let listener = try await ServerBootstrap(group: eventLoops)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try self.accepted(channel) } }
            .bind(to: address).get()
        serving.withLock { $0.listener = listener }
        return listener.localAddress?.port ?? 0
    }

    private func accepted(_ channel: any Channel) throws {
        let isAccepted = serving.withLock { serving in
            guard !serving.isStopping, limit.accepted(channel) else { return false }
            serving.connections[ObjectIdentifier(channel)] = channel
            return true
        }
        guard isAccepted else {
            // A failed initializer would end the listener; this ends only the connection.
            return channel.eventLoop.execute { channel.close(promise: nil) }
        }
        channel.closeFuture.whenComplete { _ in
            self.serving.withLock { $0.connections[ObjectIdentifier(channel)] = nil }
        }
        let connection = AuthorizationConnection(
            authorizer: authorizer,
            maximumMessageLength: maximumMessageLength,
            idleTime: idleTime
        )
        try channel.pipeline.syncOperations.addHandler(connection)
    }

    /// Accepts no more queries, lets those under way finish within `grace`, and closes the rest.
    public func stop(grace: Duration) async {
        let (listener, connections) = serving.withLock { serving in
            serving.isStopping = true
            return (serving.listener, Array(serving.connections.values))
        }
        try? await listener?.close()
        let grace = TimeAmount(grace)
        let overdue = connections.map { channel in
            channel.pipeline.fireUserInboundEventTriggered(AuthorizationConnection.Event.drain)
            return channel.eventLoop.scheduleTask(in: grace) { channel.close(promise: nil) }
        }
        for (channel, overdue) in zip(connections, overdue) {
            try? await channel.closeFuture.get()
            overdue.cancel()
        }
    }
}
