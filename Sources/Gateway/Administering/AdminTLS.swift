import AdminAPI
import Logging
import NIOPosix
import NIOSSL
import Synchronization
import Tenants
import Upstream

/// The admin listener's TLS: its certificate, and the authorities of client certificates, reloaded when their files
/// change. Existing connections keep theirs.
final class AdminTLS: AdminCertificates {
    private struct Loaded {
        var context: NIOSSLContext
        var validity: CertificateValidity
    }

    /// The latest files, which new connections use.
    private final class Current: Sendable {
        let loaded = Mutex<Loaded?>(nil)
    }

    /// The file of its certificate.
    let file: String

    private let current: Current
    private let watch: CertificateWatch<Loaded>

    /// - Throws: ``CertificateProblem``.
    static func load(_ files: ServerCertificate, logger: Logger) async throws -> AdminTLS {
        let tls = AdminTLS(files, logger)
        let first = try await NIOThreadPool.singleton.runIfActive { try read(files) }
        tls.current.loaded.withLock { $0 = first }
        return tls
    }

    private init(_ files: ServerCertificate, _ logger: Logger) {
        let current = Current()
        self.current = current
        file = files.certificateFile
        watch = CertificateWatch(
            files: [files.certificateFile, files.keyFile] + (files.clientCAFile.map { [$0] } ?? []),
            logger: logger,
            load: { () throws(CertificateProblem) in try Self.read(files) },
            use: { loaded in current.loaded.withLock { $0 = loaded } }
        )
    }

    var context: NIOSSLContext? { current.loaded.withLock { $0?.context } }

    /// Of the certificate with its chain; nil before it is loaded.
    var validity: CertificateValidity? { current.loaded.withLock { $0?.validity } }

    func watchFiles() async { await watch.run() }

    func subject(of certificate: NIOSSLCertificate) -> [UInt8]? { ClientCertificateSubject.text(of: certificate) }

    /// Blocks on the disk.
    private static func read(_ files: ServerCertificate) throws(CertificateProblem) -> Loaded {
        let (chain, key) = try CertificateFiles.pair(certificateFile: files.certificateFile, keyFile: files.keyFile)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuites = ServerIdentity.cipherSuites
        configuration.signingSignatureAlgorithms = ServerIdentity.signatureAlgorithms
        configuration.applicationProtocols = ["http/1.1"]
        configuration.renegotiationSupport = .none
        if let clientCAFile = files.clientCAFile {
            configuration.trustRoots = .certificates(try CertificateFiles.certificates(clientCAFile))
            // A client without a certificate may use the token. A certificate that is sent must be valid.
            configuration.certificateVerification = .optionalVerification
            configuration.sendCANameList = true
        }
        do {
            let context = try NIOSSLContext(configuration: configuration)
            return Loaded(context: context, validity: CertificateValidity(chain))
        } catch {
            throw CertificateProblem(
                file: files.certificateFile,
                problem: "TLS cannot be set up with it: \(error)",
                remedy: "check the certificate, its key and the client CA"
            )
        }
    }
}
