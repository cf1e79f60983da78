import Epoll
import Logging
import NIOCore
import NIOSSL
import NIOTLS
import PeerNames
import Tenants
import Time

/// Opens connections to one server: resolves its address, connects, and performs the TLS handshake if needed, all
/// within the connect timeout. The result is ready for requests.
final class ServerConnector {
    enum Connected {
        case single(BackendConnection)
        case multiplexed(BackendMultiplexer)
    }

    private let server: BackendServer
    private let tls: BackendTLSContext?
    private let timeout: TimeAmount
    private let addresses: ServerAddresses
    private unowned let loop: LoopContext
    /// The problem last logged for a server with a wrong certificate name: logged once, not with every connection.
    private var loggedProblem: PeerNameProblem?

    /// - Parameter tls: For servers with the scheme `https`.
    init(_ server: BackendServer, tls: BackendTLSContext?, timeout: Duration, loop: LoopContext) {
        self.server = server
        self.tls = tls
        self.timeout = .nanoseconds(Int64(clamping: timeout.nanosecondsClamped))
        self.loop = loop
        addresses = ServerAddresses(server.address, eventLoop: loop.eventLoop, names: loop.names)
    }

    /// Whether connections to this address may stay in use: the name may resolve to another one now.
    func isCurrent(_ address: SocketAddress) -> Bool { addresses.contain(address) }

    /// - Parameter then: Called once, on the event loop, never before this returns.
    func open(for pool: ServerPool, then: @escaping (Result<Connected, ConnectProblem>) -> Void) {
        let deadline = NIODeadline.now() + timeout
        addresses.withNext(by: deadline) { candidates in
            self.open(candidates[...], pool, deadline, then)
        }
    }

    /// Tries one address after the other.
    private func open(
        _ candidates: ArraySlice<SocketAddress>,
        _ pool: ServerPool,
        _ deadline: NIODeadline,
        _ then: @escaping (Result<Connected, ConnectProblem>) -> Void
    ) {
        guard let address = candidates.first else { return then(.failure(.unknownName)) }
        let left = deadline - .now()
        guard left > .nanoseconds(0) else { return then(.failure(.timedOut)) }
        // Each candidate gets an equal part of the remaining time.
        let part = TimeAmount.nanoseconds(left.nanoseconds / Int64(candidates.count))
        connect(to: address, pool, within: part) { result in
            switch result {
            case .failure where candidates.count > 1: self.open(candidates.dropFirst(), pool, deadline, then)
            case .failure, .success: then(result)
            }
        }
    }

    private func connect(
        to address: SocketAddress,
        _ pool: ServerPool,
        within limit: TimeAmount,
        _ then: @escaping (Result<Connected, ConnectProblem>) -> Void
    ) {
        let label = pool.label
        let negotiation: ConnectingHandler.Negotiation =
            if let tls {
                .handshake(tls.peerName(forHost: server.address.host)) { self.tell($0, of: label, at: address) }
            } else {
                .none(speaksHTTP2: server.scheme == .h2c)
            }
        let opening = ConnectingHandler(pool, loop: loop, negotiation, address, then)
        guard let eventLoop = loop.eventLoop as? EpollLoop else {
            assertionFailure("a loop without sockets has no servers")
            return opening.failed(.unusable)
        }
        EpollChannel.connect(to: address, on: eventLoop, within: limit) { channel in
            let pipeline = channel.pipeline.syncOperations
            if let tls { try pipeline.addHandler(try tls.makeHandler(forHost: server.address.host)) }
            try pipeline.addHandler(opening)
        } failed: { failure in
            opening.failed(ConnectProblem(failure))
        }
        if tls != nil {
            opening.fail(in: limit)
        }
    }

    private func tell(_ problem: PeerNameProblem, of server: String, at address: SocketAddress) {
        guard problem != loggedProblem else { return }
        loggedProblem = problem
        let metadata: Logger.Metadata = ["server": "\(server)", "address": "\(address)", "error": "\(problem)"]
        loop.loggers.backends.warning("server is not the one that it should be", metadata: metadata)
    }
}

/// Occupies a new connection's channel until it can take requests; then the connection's handler replaces it.
private final class ConnectingHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// What comes between the TCP connection and the first request.
    enum Negotiation {
        case none(speaksHTTP2: Bool)
        /// TLS, which also negotiates HTTP/2.
        ///
        /// - Parameters:
        ///   - name: The name that the certificate must be for, beyond what the handshake itself verifies.
        ///   - isAnother: Called if it is for another name.
        case handshake(_ name: PeerName?, isAnother: (PeerNameProblem) -> Void)
    }

    private enum State {
        case opening(then: (Result<ServerConnector.Connected, ConnectProblem>) -> Void)
        case done
    }

    private let pool: ServerPool
    private let loop: LoopContext
    private let negotiation: Negotiation
    private let address: SocketAddress
    private var state: State
    private var timeout: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(
        _ pool: ServerPool,
        loop: LoopContext,
        _ negotiation: Negotiation,
        _ address: SocketAddress,
        _ then: @escaping (Result<ServerConnector.Connected, ConnectProblem>) -> Void
    ) {
        self.pool = pool
        self.loop = loop
        self.negotiation = negotiation
        self.address = address
        state = .opening(then: then)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        if case .none(let speaksHTTP2) = negotiation { opened(context, speaksHTTP2: speaksHTTP2) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case TLSUserEvent.handshakeCompleted(let applicationProtocol) = event,
            case .handshake(let peerName, let isAnother) = negotiation
        else { return }
        let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
        do throws(PeerNameProblem) {
            try peerName?.verify(certificate)
        } catch {
            isAnother(error)
            failed(.anotherName(error))
            return context.close(promise: nil)
        }
        opened(context, speaksHTTP2: applicationProtocol == "h2")
    }

    func channelInactive(context: ChannelHandlerContext) { failed(.closed) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        failed(ConnectProblem(error))
        context.close(promise: nil)
    }

    /// Fails if the connection cannot take requests by then.
    func fail(in limit: TimeAmount) {
        timeout = loop.eventLoop.assumeIsolated().scheduleTask(in: limit) { [self] in
            failed(.timedOut)
            context?.close(promise: nil)
        }
    }

    func failed(_ problem: ConnectProblem) { finish(.failure(problem)) }

    private func opened(_ context: ChannelHandlerContext, speaksHTTP2: Bool) {
        if case .done = state { return context.close(promise: nil) }
        do {
            let channel = context.channel
            let pipeline = channel.pipeline.syncOperations
            let connected: ServerConnector.Connected
            if speaksHTTP2 {
                let connection = BackendMultiplexer(pool: pool, loop: loop, address: address)
                try pipeline.addHandler(connection)
                connected = .multiplexed(connection)
            } else {
                let connection = BackendConnection(pool: pool, loop: loop, address: address)
                try pipeline.addHandler(connection)
                if case .none = negotiation { connection.serveAlone(channel) }
                connected = .single(connection)
            }
            pipeline.removeHandler(context: context, promise: nil)
            finish(.success(connected))
        } catch {
            failed(.unusable)
            context.close(promise: nil)
        }
    }

    private func finish(_ result: Result<ServerConnector.Connected, ConnectProblem>) {
        timeout?.cancel()
        timeout = nil
        guard case .opening(let then) = state else { return }
        state = .done
        then(result)
    }
}
