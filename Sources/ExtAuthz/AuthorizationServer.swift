internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import NIOCore
public import NIOPosix
internal import Synchronization

/// The listener for Envoy's queries, with gRPC in plain text.
public final class AuthorizationServer: Sendable {
    /// Concurrent queries on one connection; Envoy opens another one for more.
    private static let mostStreams = 64
    /// Bytes of a query besides the head in it: lengths, addresses, a certificate.
    private static let otherBytes = 64 << 10

    private let server: GRPCServer<HTTP2ServerTransport.Posix>
    private let serving = Mutex<Task<Void, any Error>?>(nil)

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
        let resolved = try SocketAddress.makeAddressResolvingHost(host, port: port)
        let text = resolved.ipAddress ?? host
        var config = HTTP2ServerTransport.Posix.Config.defaults
        config.http2.maxConcurrentStreams = Self.mostStreams
        config.rpc.maxRequestPayloadSize = maximumHeadBytes + Self.otherBytes
        config.connection.maxIdleTime = idleTimeout
        let limit = ConnectionLimit(authorizer: authorizer)
        config.channelDebuggingCallbacks.onAcceptTCPConnection = { channel in
            limit.accepted(channel)
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        let transport = HTTP2ServerTransport.Posix(
            address: resolved.protocol == .inet6 ? .ipv6(host: text, port: port) : .ipv4(host: text, port: port),
            transportSecurity: .plaintext,
            config: config,
            eventLoopGroup: eventLoops
        )
        server = GRPCServer(
            transport: transport,
            services: [AuthorizationService(authorizer: authorizer)],
            interceptors: [TrustedPeers(authorizer: authorizer)]
        )
    }

    /// Begins to serve.
    ///
    /// - Returns: The port.
    /// - Throws: If the address cannot be bound.
    public func start() async throws -> Int {
        let task = Task { [server] in try await server.serve() }
        serving.withLock { $0 = task }
        do {
            let address = try await server.transport.listeningAddress
            return address.ipv4?.port ?? address.ipv6?.port ?? 0
        } catch {
            // The task has the reason.
            try await task.value
            throw error
        }
    }

    /// Accepts no more queries, lets those under way finish within `grace`, and closes the rest.
    public func stop(grace: Duration) async {
        let task = serving.withLock { serving in
            defer { serving = nil }
            return serving
        }
        guard let task else { return }
        server.beginGracefulShutdown()
        let overdue = Task {
            try await Task.sleep(for: grace)
            task.cancel()
        }
        _ = await task.result
        overdue.cancel()
    }
}
