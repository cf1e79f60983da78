import NIOCore
import NIOSSL
import NIOTLS
import Synchronization
import TestSupport

/// TLS settings of a test client.
struct ClientTLS: Sendable {
    private let context: NIOSSLContext
    private let serverName: String

    /// Trusts ``TestAuthority/trusted`` alone.
    init(_ serverName: String, applicationProtocols: [String] = []) throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        let authority = try TestAuthority.trusted.get().pem()
        configuration.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(authority.utf8), format: .pem)])
        configuration.applicationProtocols = applicationProtocols
        context = try NIOSSLContext(configuration: configuration)
        self.serverName = serverName
    }

    func handler() throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: serverName)
    }
}

/// TLS settings of a test server, and its handshakes.
final class ServerTLS: Sendable {
    private struct State {
        var failures = 0
        var clients: [NIOSSLCertificate?] = []
    }

    private let context: NIOSSLContext
    private let state = Mutex(State())

    /// - Parameter asksClients: Whether a client certificate of ``TestAuthority/trusted`` is required.
    init(
        _ certificate: TestCertificate,
        applicationProtocols: [String] = ["http/1.1"],
        asksClients: Bool = false
    ) throws {
        let leaf = try NIOSSLCertificate(bytes: Array(certificate.certificate.utf8), format: .pem)
        let key = try NIOSSLPrivateKey(bytes: Array(certificate.key.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(leaf)],
            privateKey: .privateKey(key)
        )
        configuration.applicationProtocols = applicationProtocols
        if asksClients {
            let authority = try TestAuthority.trusted.get().pem()
            configuration.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(authority.utf8), format: .pem)]
            )
            configuration.certificateVerification = .noHostnameVerification
        }
        context = try NIOSSLContext(configuration: configuration)
    }

    /// Completed handshakes.
    var handshakes: Int { state.withLock { $0.clients.count } }

    /// Failed handshakes.
    var failures: Int { state.withLock { $0.failures } }

    /// The certificate of each client.
    var clients: [NIOSSLCertificate?] { state.withLock { $0.clients } }

    enum Reading {
        /// Reads on demand of the test.
        case onDemand
        /// Reads automatically.
        case byItself
    }

    /// - Parameter accept: Called after the handshake.
    func handlers(reading: Reading = .onDemand, _ accept: @escaping () -> Void) -> [any ChannelHandler] {
        let tls = NIOSSLServerHandler(context: context)
        let outcome = HandshakeOutcomeHandler(reading) { succeeded in
            let client = tls.peerCertificate
            self.state.withLock { state in
                if succeeded { state.clients.append(client) } else { state.failures += 1 }
            }
            if succeeded { accept() }
        }
        return [tls, outcome]
    }
}

/// Reports the outcome of a handshake once.
private final class HandshakeOutcomeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let reading: ServerTLS.Reading
    private var ended: ((Bool) -> Void)?

    init(_ reading: ServerTLS.Reading, _ ended: @escaping (Bool) -> Void) {
        self.reading = reading
        self.ended = ended
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event {
            if case .onDemand = reading {
                try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            }
            finish(true)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finish(false)
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(false)
        context.fireChannelInactive()
    }

    private func finish(_ succeeded: Bool) {
        ended?(succeeded)
        ended = nil
    }
}

/// Completes a promise with the end of the client's handshake.
final class HandshakeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let handshake: EventLoopPromise<Void>

    init(_ handshake: EventLoopPromise<Void>) {
        self.handshake = handshake
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event {
            try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            handshake.succeed(())
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        handshake.fail(error)
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        handshake.fail(EndOfStream())
        context.fireChannelInactive()
    }
}
