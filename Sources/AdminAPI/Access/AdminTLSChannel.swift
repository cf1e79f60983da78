import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// TLS below HTTP, with the current certificates of ``AdminCertificates``.
struct AdminTLSChannel: HTTPChannelHandler {
    typealias Value = HTTP1Channel.Value

    let base: HTTP1Channel
    let certificates: any AdminCertificates

    var responder: Responder { base.responder }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let context = certificates.context
        return channel.eventLoop.makeCompletedFuture {
            guard let context else { throw ChannelError.inappropriateOperationForState }
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
        }.flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

extension HTTPServerBuilder {
    /// The admin listener's server.
    ///
    /// - Parameter certificates: nil for plain text.
    static func admin(
        _ configuration: HTTP1Channel.Configuration,
        _ certificates: (any AdminCertificates)?
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            let base = HTTP1Channel(responder: responder, configuration: configuration)
            guard let certificates else { return base }
            return AdminTLSChannel(base: base, certificates: certificates)
        }
    }
}
