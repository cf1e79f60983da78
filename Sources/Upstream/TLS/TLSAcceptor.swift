import Authorization
import HTTPCore
package import Logging
package import NIOCore
import NIOSSL

/// What the TLS handshake of a connection has established.
package struct TLSArrival {
    /// `h2` or `http/1.1`; nil if the client sent no ALPN (RFC 7301), which means HTTP/1.1.
    package var applicationProtocol: String?
    /// In lower case, without a trailing dot.
    package var serverName: String?
    package var identity: ServerIdentity
    /// The subject of the client's certificate (RFC 4514), if the identity requires one. May be empty.
    package var clientSubject: [UInt8]?
    /// The SHA-256 of the client's certificate in DER, if the identity requires one.
    package var clientCertificateThumbprint: [UInt8]?
}

/// The first handler of a connection to a TLS port. It reads the ClientHello, selects the identity for the requested
/// server name, and is replaced by the TLS library; when the handshake is done it calls `arrived`, once.
///
/// The library's own selection by name keeps one context for all: its session tickets would be valid for every tenant,
/// and client certificates of different tenants could not be distinguished. Nor does it ever send the alert
/// `no_application_protocol`.
///
/// The caller must bound the time. A connection that fails is closed after its alert.
package final class TLSAcceptor: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private enum State {
        case reading(ClientHelloReader, ByteBuffer)
        /// A response was sent in plain text. Further bytes are dropped, so that a reset does not destroy it.
        case refused(allowance: Int)
        case done
    }

    /// Bytes that are dropped after a refusal before the connection is closed.
    private static let refusedAllowance = 64 << 10

    private let certificates: () -> ServerCertificates
    private let unixTime: () -> Int64
    private let logger: Logger
    private let arrived: (TLSArrival, any Channel) -> Void
    private var state = State.reading(ClientHelloReader(), ByteBuffer())

    /// - Parameters:
    ///   - certificates: Returns the current ones; called once per connection.
    ///   - unixTime: The current time.
    ///   - arrived: Called on the event loop after the handshake and before the first byte of the client, to add the
    ///     handlers that serve it.
    package init(
        certificates: @escaping () -> ServerCertificates,
        unixTime: @escaping () -> Int64,
        logger: Logger,
        arrived: @escaping (TLSArrival, any Channel) -> Void
    ) {
        self.certificates = certificates
        self.unixTime = unixTime
        self.logger = logger
        self.arrived = arrived
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        switch state {
        case .reading(let reader, let earlier):
            state = .done
            read(bytes, after: earlier, reader, context)
        case .refused(let allowance):
            guard bytes.readableBytes <= allowance else { return context.close(promise: nil) }
            state = .refused(allowance: allowance - bytes.readableBytes)
        case .done:
            context.fireChannelRead(data)
        }
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A client that shuts its side before the handshake needs nothing more.
        if let event = event as? ChannelEvent, case .inputClosed = event { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        logger.debug("connection lost before TLS", metadata: ["error": "\(error)"])
        context.close(promise: nil)
    }

    private func read(
        _ bytes: ByteBuffer,
        after earlier: ByteBuffer,
        _ reader: ClientHelloReader,
        _ context: ChannelHandlerContext
    ) {
        var reader = reader
        var all = earlier
        if all.readableBytes > 0 { all.writeImmutableBuffer(bytes) } else { all = bytes }
        switch reader.read(all) {
        case .needsMore:
            state = .reading(reader, all)
        case .plainText:
            refuse(context, with: PlainResponse.thisPortSpeaksTLS, "plain text on a TLS port")
        case .unreadable:
            begin(ClientHello(), all, context)
        case .hello(let hello):
            let common = hello.applicationProtocols?.contains(where: ServerIdentity.applicationProtocols.contains)
            if common == false {
                refuse(context, with: PlainResponse.noApplicationProtocol, "no common application protocol")
            } else {
                begin(hello, all, context)
            }
        }
    }

    private func refuse(_ context: ChannelHandlerContext, with response: [UInt8], _ reason: Logger.Message) {
        logger.debug(reason)
        state = .refused(allowance: Self.refusedAllowance)
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: response)), promise: nil)
        context.close(mode: .output, promise: nil)
    }

    /// Replaces this handler with the TLS library, which gets the bytes read so far.
    private func begin(_ hello: ClientHello, _ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        let identity = certificates().identity(forServerName: hello.serverName)
        var configuration = NIOSSLHandler.Configuration()
        configuration.maximumPreservedOutboundBufferCapacity = 64 << 10
        let tls = NIOSSLServerHandler(context: identity.context, configuration: configuration)
        let handshake = TLSHandshake(
            tls: tls,
            arrival: TLSArrival(serverName: hello.serverName, identity: identity),
            unixTime: unixTime,
            logger: logger,
            arrived: arrived
        )
        do {
            let pipeline = context.pipeline.syncOperations
            try pipeline.addHandlers([tls, handshake], position: .after(self))
            context.fireChannelRead(wrapInboundOut(bytes))
            pipeline.removeHandler(context: context, promise: nil)
        } catch {
            logger.debug("connection lost before TLS", metadata: ["error": "\(error)"])
            context.close(promise: nil)
        }
    }
}

/// Responses to a client outside of a TLS handshake.
private enum PlainResponse {
    static let thisPortSpeaksTLS: [UInt8] = {
        let text = "This port speaks TLS: use https.\n"
        return Array(
            """
            HTTP/1.1 400 Bad Request\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: \(text.utf8.count)\r
            Connection: close\r
            \r
            \(text)
            """.utf8
        )
    }()

    /// A record of type alert, fatal, 120 (RFC 7301 section 3.2).
    static let noApplicationProtocol: [UInt8] = [21, 3, 3, 0, 2, 2, 120]
}
