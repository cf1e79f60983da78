import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import Tenants
import Upstream

/// A TLS listener. It responds to the first bytes of a client with what it knows of the connection, and closes.
final class TLSListenerFixture: Sendable {
    let port: Int
    private let current: Holder
    private let channel: any Channel

    final class Holder: Sendable {
        let certificates: Mutex<ServerCertificates>

        init(_ certificates: ServerCertificates) {
            self.certificates = Mutex(certificates)
        }

        func get() -> ServerCertificates { certificates.withLock { $0 } }
    }

    init(_ certificates: ServerCertificates, unixTime: Int64 = 0) async throws {
        let holder = Holder(certificates)
        current = holder
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let entrance = TLSAcceptor(
                        certificates: { holder.get() },
                        unixTime: { unixTime },
                        logger: Logger(label: "pipeline") { _ in SwiftLogNoOpLogHandler() },
                        arrived: { arrival, channel in
                            try? channel.pipeline.syncOperations.addHandler(Teller(arrival))
                        }
                    )
                    try channel.pipeline.syncOperations.addHandler(entrance)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func replace(_ certificates: ServerCertificates) {
        current.certificates.withLock { $0 = certificates }
    }

    func close() async throws {
        try await channel.close()
    }
}

private final class Teller: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let arrival: TLSArrival

    init(_ arrival: TLSArrival) {
        self.arrival = arrival
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let certificate = arrival.identity.files.certificateFile.split(separator: "/").last ?? ""
        let subject = arrival.clientSubject.map { String(decoding: $0, as: UTF8.self) }
        let text =
            "[name=\(arrival.serverName ?? "none") alpn=\(arrival.applicationProtocol ?? "none") "
            + "identity=\(certificate) subject=\(subject ?? "none")]\n"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

/// A connection that sends once and collects the response until it is closed, with NIO.
enum TestClient {
    struct Received {
        var bytes: [UInt8]
        var error: (any Error)?

        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// - Parameter tls: The backend's TLS and the host of its URL; without it the bytes go out plain.
    static func exchange(
        port: Int,
        send: [UInt8],
        tls: (context: BackendTLSContext, host: String)? = nil
    ) async throws -> Received {
        let promise = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Received.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(tls.context.makeHandler(forHost: tls.host)) }
                    try pipeline.addHandler(Collector(promise))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let deadline = channel.eventLoop.scheduleTask(in: .seconds(20)) { channel.close(promise: nil) }
        defer { deadline.cancel() }
        channel.writeAndFlush(ByteBuffer(bytes: send), promise: nil)
        return try await promise.futureResult.get()
    }
}

private final class Collector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let promise: EventLoopPromise<TestClient.Received>
    private var answer = TestClient.Received(bytes: [])

    init(_ promise: EventLoopPromise<TestClient.Received>) {
        self.promise = promise
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        answer.bytes += unwrapInboundIn(data).readableBytesView
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if answer.error == nil { answer.error = error }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.succeed(answer)
    }
}
