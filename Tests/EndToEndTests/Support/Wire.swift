import Glibc
import NIOCore
import NIOPosix
import TestSupport

@testable import Tenants

/// One TCP connection, as bytes: reads happen on demand only, so that a test can be a peer that does not read.
final class Wire: Sendable {
    private let channel: any Channel
    private let arrivals: Mailbox<ByteBuffer>

    private init(channel: any Channel, arrivals: Mailbox<ByteBuffer>) {
        self.channel = channel
        self.arrivals = arrivals
    }

    /// - Parameter receiveBuffer: SO_RCVBUF in bytes.
    static func connect(to address: HostPort, receiveBuffer: Int? = nil) async throws -> Wire {
        let arrivals = Mailbox<ByteBuffer>("bytes from \(address)")
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ArrivalHandler(arrivals))
                }
            }
        if let receiveBuffer {
            bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: .init(receiveBuffer))
        }
        let channel = try await bootstrap.connect(host: address.host, port: address.port).get()
        return Wire(channel: channel, arrivals: arrivals)
    }

    /// A connection on which TLS is spoken.
    ///
    /// - Parameters:
    ///   - preamble: Sent before the handshake, each piece in a write of its own.
    static func connect(to address: HostPort, tls: ClientTLS, preamble: [[UInt8]] = []) async throws -> Wire {
        let arrivals = Mailbox<ByteBuffer>("bytes from \(address)")
        let handshake = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: address.host, port: address.port).get()
        do {
            for piece in preamble { try await channel.writeAndFlush(ByteBuffer(bytes: piece)).get() }
            try await channel.eventLoop.submit {
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHandlers(tls.handler(), HandshakeHandler(handshake), ArrivalHandler(arrivals))
            }.get()
            try await handshake.futureResult.bounded("the TLS handshake")
        } catch {
            handshake.fail(error)
            try? await channel.close()
            throw error
        }
        return Wire(channel: channel, arrivals: arrivals)
    }

    /// Listens on a free loopback port and hands every accepted connection to `accept`, after its handshake if TLS is
    /// spoken.
    static func listen(tls: ServerTLS? = nil, accept: @escaping @Sendable (Wire) -> Void) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: tls != nil)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    let arrivals = Mailbox<ByteBuffer>("bytes from the gateway")
                    let accept = { accept(Wire(channel: channel, arrivals: arrivals)) }
                    if let tls {
                        try pipeline.addHandlers(tls.handlers { accept() })
                        try pipeline.addHandler(ArrivalHandler(arrivals))
                    } else {
                        // A read asked for before the channel is active would be lost.
                        try pipeline.addHandler(ArrivalHandler(arrivals, whenActive: accept))
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    /// Returns when the kernel has taken the bytes.
    func send(_ bytes: [UInt8], within limit: TimeAmount = .patience) async throws {
        let written = channel.eventLoop.makePromise(of: Void.self)
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: written)
        try await written.futureResult.bounded("the peer to take \(bytes.count) bytes", within: limit)
    }

    /// The next bytes; nil at the peer's end.
    func receive(within limit: TimeAmount = .patience) async throws -> ByteBuffer? {
        if let ready = arrivals.takeReady() { return ready }
        channel.read()
        do {
            return try await arrivals.next(within: limit)
        } catch is EndOfStream {
            return nil
        }
    }

    /// Closes the sending side (FIN); the peer's data can still be read.
    func closeOutput() async throws {
        let closed = channel.eventLoop.makePromise(of: Void.self)
        channel.close(mode: .output, promise: closed)
        try await closed.futureResult.bounded("the half-close")
    }

    func close() async {
        arrivals.finish(EndOfStream())
        try? await channel.close().get()
    }

    /// Aborts the connection: the peer sees RST instead of FIN.
    func reset() async throws {
        let atOnce = linger(l_onoff: 1, l_linger: 0)
        if let socket = channel as? any SocketOptionProvider {
            try await socket.setSoLinger(atOnce).get()
        }
        await close()
    }

    func setSendBuffer(_ bytes: Int) async throws {
        try await channel.setOption(.socketOption(.so_sndbuf), value: .init(bytes)).get()
    }

    /// Also keeps the system from letting it grow.
    func setReceiveBuffer(_ bytes: Int) async throws {
        try await channel.setOption(.socketOption(.so_rcvbuf), value: .init(bytes)).get()
    }
}

private final class ArrivalHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let arrivals: Mailbox<ByteBuffer>
    private let whenActive: () -> Void

    init(_ arrivals: Mailbox<ByteBuffer>, whenActive: @escaping () -> Void = {}) {
        self.arrivals = arrivals
        self.whenActive = whenActive
    }

    func channelActive(context: ChannelHandlerContext) {
        whenActive()
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        arrivals.put(unwrapInboundIn(data))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            arrivals.finish(EndOfStream())
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        arrivals.finish(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        arrivals.finish(EndOfStream())
        context.fireChannelInactive()
    }
}
