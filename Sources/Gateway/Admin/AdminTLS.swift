import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import Tenants

/// The admin listener's side of TLS: its certificate, and the authorities of the clients' certificates, read anew when
/// their files change. Connections keep what they began with.
final class AdminTLS: Sendable {
    /// Where connections look, and what is read is put.
    private final class Current: Sendable {
        let context = Mutex<NIOSSLContext?>(nil)
    }

    private let current: Current
    private let watch: CertificateWatch<NIOSSLContext>

    /// - Throws: ``CertificateProblem``.
    static func load(_ files: ServerCertificate, logger: Logger) async throws -> AdminTLS {
        let tls = AdminTLS(files, logger)
        let first = try await NIOThreadPool.singleton.runIfActive { try read(files) }
        tls.current.context.withLock { $0 = first }
        return tls
    }

    private init(_ files: ServerCertificate, _ logger: Logger) {
        let current = Current()
        self.current = current
        watch = CertificateWatch(
            files: [files.certificateFile, files.keyFile] + (files.clientCAFile.map { [$0] } ?? []),
            logger: logger,
            load: { () throws(CertificateProblem) in try Self.read(files) },
            use: { context in current.context.withLock { $0 = context } }
        )
    }

    /// For a new connection.
    var context: NIOSSLContext? { current.context.withLock { $0 } }

    /// Watches the files until its task is cancelled.
    func keepUp() async { await watch.run() }

    /// Blocks on the disk.
    private static func read(_ files: ServerCertificate) throws(CertificateProblem) -> NIOSSLContext {
        let (chain, key) = try CertificateFiles.pair(certificateFile: files.certificateFile, keyFile: files.keyFile)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuites = ServerIdentity.cipherSuites
        configuration.applicationProtocols = ["http/1.1"]
        configuration.renegotiationSupport = .none
        if let clientCAFile = files.clientCAFile {
            configuration.trustRoots = .certificates(try CertificateFiles.certificates(clientCAFile))
            // Who shows none may have the token. One that is shown must be good.
            configuration.certificateVerification = .optionalVerification
            configuration.sendCANameList = true
        }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw CertificateProblem(
                file: files.certificateFile,
                problem: "TLS cannot be set up with it: \(error)",
                remedy: "check the certificate, its key and the client CA"
            )
        }
    }
}

/// Speaks TLS before HTTP, with what ``AdminTLS`` has at the moment.
struct AdminTLSChannel: HTTPChannelHandler {
    typealias Value = HTTP1Channel.Value

    let base: HTTP1Channel
    let tls: AdminTLS

    var responder: Responder { base.responder }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let context = tls.context
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
    /// - Parameter tls: Nil: plain text.
    static func admin(_ configuration: HTTP1Channel.Configuration, _ tls: AdminTLS?) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            let base = HTTP1Channel(responder: responder, configuration: configuration)
            guard let tls else { return base }
            return AdminTLSChannel(base: base, tls: tls)
        }
    }
}
