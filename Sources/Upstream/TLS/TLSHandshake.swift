import Logging
import NIOCore
import NIOSSL
import NIOTLS
import Verification

/// Waits behind the TLS library for the end of the handshake. If it fails, the library sends the alert and closes the
/// connection; here it is only logged.
final class TLSHandshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let tls: NIOSSLServerHandler
    private let unixTime: () -> Int64
    private let logger: Logger
    private let arrived: (TLSArrival, any Channel) -> Void
    private var arrival: TLSArrival

    init(
        tls: NIOSSLServerHandler,
        arrival: TLSArrival,
        unixTime: @escaping () -> Int64,
        logger: Logger,
        arrived: @escaping (TLSArrival, any Channel) -> Void
    ) {
        self.tls = tls
        self.arrival = arrival
        self.unixTime = unixTime
        self.logger = logger
        self.arrived = arrived
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case TLSUserEvent.handshakeCompleted(let applicationProtocol) = event else {
            return context.fireUserInboundEventTriggered(event)
        }
        arrival.applicationProtocol = applicationProtocol
        if arrival.identity.requiresClientCertificate {
            guard let certificate = clientCertificate(), let subject = ClientCertificateSubject.text(of: certificate),
                let bytes = try? certificate.toDERBytes()
            else {
                logger.debug("client certificate cannot be used", metadata: serverName)
                return context.close(promise: nil)
            }
            arrival.clientSubject = subject
            arrival.clientCertificateThumbprint = SHA256.digest(bytes)
        }
        arrived(arrival, context.channel)
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // After the handshake only a refused connection still has this handler.
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        logger.debug("TLS handshake failed", metadata: serverName.merging(["error": "\(error)"]) { $1 })
    }

    private var serverName: Logger.Metadata { ["server_name": "\(arrival.serverName ?? "")"] }

    /// A resumed session brings its certificate from the first handshake, where it was verified. It may have expired
    /// since, and the library does not check again.
    private func clientCertificate() -> NIOSSLCertificate? {
        guard let certificate = tls.peerCertificate, Int64(certificate.notValidAfter) >= unixTime() else { return nil }
        return certificate
    }
}
