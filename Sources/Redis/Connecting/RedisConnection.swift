import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// One connection: bytes in, replies out. It reports that it is open, each reply, and once its end; ``RedisLink``
/// interprets them.
///
/// Lives on one event loop. It is the only handler in its pipeline, behind TLS if that is used.
final class RedisConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    enum Event {
        case opened
        case reply(RedisReply)
        case ended(String)
    }

    private let eventLoop: any EventLoop
    private let reader: ReplyReader
    /// While the TLS handshake is under way.
    private var handshake: (tls: RedisTLSContext, host: String)?
    private var channel: (any Channel)?
    private var isEnded = false
    private var listener: ((Event) -> Void)?

    /// - Parameter listener: Called on the event loop. Released after the end.
    init(
        eventLoop: any EventLoop,
        maximumReplyBytes: Int,
        listener: @escaping (Event) -> Void
    ) throws(ProtocolError) {
        self.eventLoop = eventLoop
        reader = try ReplyReader(maximumBytes: maximumReplyBytes)
        self.listener = listener
    }

    /// Resolves the name and connects to its addresses in turn, until one accepts.
    func open(_ address: RedisAddress, tls: RedisTLSContext?, timeout: TimeAmount) {
        ClientBootstrap(group: eventLoop)
            .connectTimeout(timeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            // Nothing may be read before there is a handler for it.
            .channelOption(.autoRead, value: false)
            .connect(host: address.host, port: address.port)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let channel): self.connected(channel, address, tls)
                case .failure(let error): self.end(ConnectProblem.describe(error))
                }
            }
    }

    func write(_ bytes: ByteBuffer) {
        channel?.writeAndFlush(bytes, promise: nil)
    }

    /// The step that has not finished in time.
    var unfinished: String {
        if channel == nil { return "it did not take the connection in time" }
        return handshake == nil ? "it did not reply in time" : "the TLS handshake was not finished in time"
    }

    /// Closes without further reports.
    func close() {
        isEnded = true
        listener = nil
        channel?.close(promise: nil)
    }

    private func connected(_ channel: any Channel, _ address: RedisAddress, _ tls: RedisTLSContext?) {
        guard !isEnded else { return channel.close(promise: nil) }
        self.channel = channel
        do {
            let pipeline = channel.pipeline.syncOperations
            if let tls {
                handshake = (tls, address.host)
                try pipeline.addHandler(try tls.makeHandler(forHost: address.host))
            }
            try pipeline.addHandler(self)
            try channel.syncOptions?.setOption(.autoRead, value: true)
        } catch {
            end("\(error)")
            return
        }
        if tls == nil { listener?(.opened) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reader.feed(unwrapInboundIn(data))
        do {
            while !isEnded, let reply = try reader.next() { listener?(.reply(reply)) }
        } catch {
            end("the server does not speak RESP2: \(error.reason)")
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let (tls, host) = handshake, case TLSUserEvent.handshakeCompleted = event {
            handshake = nil
            let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
            if let problem = tls.problem(with: certificate, ofHost: host) { end(problem) } else { listener?(.opened) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(handshake != nil ? "the server closed the connection in the TLS handshake" : "the server closed it")
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(ConnectProblem.describe(error))
    }

    private func end(_ reason: String) {
        guard !isEnded else { return }
        let listener = listener
        close()
        listener?(.ended(reason))
    }
}

/// Descriptions of failed connections.
enum ConnectProblem {
    static func describe(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            if let last = error.connectionErrors.last { return describe(last.error) }
            return "the host \(error.host) cannot be resolved"
        case NIOSSLError.uncleanShutdown: return "the server closed it"
        case let error as NIOSSLExtraError: return "TLS: \(error)"
        case let error as NIOSSLError: return "TLS: \(error)"
        case let error as BoringSSLError: return "TLS: \(error)"
        case ChannelError.connectTimeout: return "it did not take the connection in time"
        case let error as IOError: return String(cString: strerror(error.errnoCode))
        default: return "\(error)"
        }
    }
}
