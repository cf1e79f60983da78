package import NIOSSL
import PeerNames
package import Tenants

/// The TLS settings for a backend's servers. Their certificates are always verified, both chain and name.
///
/// Made once per backend: with the system's roots it takes milliseconds and memory.
package struct BackendTLSContext: Sendable {
    private static let systemRoots = "/etc/ssl/certs"

    private let context: NIOSSLContext
    private let serverName: String?
    /// Of the gateway's own certificate; nil if it presents none.
    let validity: CertificateValidity?

    /// Blocks on the disk.
    ///
    /// - Parameters:
    ///   - tls: The backend's `tls`; without it the system's roots are trusted and no client certificate is presented.
    ///   - applicationProtocols: Offered by ALPN, the preferred first.
    init(
        _ tls: BackendTLS?,
        applicationProtocols: [String] = ServerIdentity.applicationProtocols
    ) throws(CertificateProblem) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuites = ServerIdentity.cipherSuites
        configuration.certificateVerification = .fullVerification
        configuration.applicationProtocols = applicationProtocols
        configuration.renegotiationSupport = .none
        if let caFile = tls?.caFile {
            configuration.trustRoots = .certificates(try CertificateFiles.certificates(caFile))
        }
        var validity: CertificateValidity?
        if let certificateFile = tls?.certificateFile, let keyFile = tls?.keyFile {
            let (chain, key) = try CertificateFiles.pair(certificateFile: certificateFile, keyFile: keyFile)
            validity = CertificateValidity(chain)
            configuration.certificateChain = chain.map { .certificate($0) }
            configuration.privateKey = .privateKey(key)
        }
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw CertificateProblem(
                file: tls?.caFile ?? Self.systemRoots,
                problem: "TLS to the backend cannot be set up with it: \(error)",
                remedy: "give the CA of the backend's certificate as backend.tls.ca_file, or install ca-certificates"
            )
        }
        serverName = tls?.serverName
        self.validity = validity
    }

    /// The files that a context for this `tls` is read from.
    package static func files(of tls: BackendTLS?) -> [String] {
        [tls?.caFile, tls?.certificateFile, tls?.keyFile].compactMap { $0 }
    }

    /// The first handler of a connection to one of the backend's servers. After its handshake the server's name has yet
    /// to be verified.
    ///
    /// An IP address is not sent as a name (RFC 6066 section 3), and is verified as the address that the connection
    /// goes to (RFC 9525 section 6.5).
    ///
    /// - Parameter host: The host of the server's URL; an IPv6 address with or without brackets.
    /// - Throws: `NIOSSLExtraError` if it is not a name that a certificate can be for.
    package func makeHandler(forHost host: String) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: peerName(forHost: host)?.text)
    }

    /// The name that the certificate must have: `server_name` if configured, else the host.
    ///
    /// - Returns: Nil for an IP address, which the handshake itself verifies.
    func peerName(forHost host: String) -> PeerName? { PeerName(ofHost: serverName ?? host) }
}

/// The contexts of one backend: connections for WebSockets must not become HTTP/2.
package struct BackendTLSContexts: Sendable {
    package let any: BackendTLSContext
    package let http1Only: BackendTLSContext
    private let tls: BackendTLS?
    /// The state of its files when they were read.
    private let stamps: [FileStamp?]

    /// Blocks on the disk.
    package init(_ tls: BackendTLS?) throws(CertificateProblem) {
        self.tls = tls
        stamps = BackendTLSContext.files(of: tls).map { FileStamp($0) }
        any = try BackendTLSContext(tls)
        http1Only = try BackendTLSContext(tls, applicationProtocols: ["http/1.1"])
    }

    /// The file of the gateway's own certificate, and when it is valid; nil if it presents none.
    package var ownCertificate: (file: String, validity: CertificateValidity)? {
        guard let file = tls?.certificateFile, let validity = any.validity else { return nil }
        return (file, validity)
    }
}

extension BackendTLSContexts: Hashable {
    /// Whether they were read from the same, unchanged files.
    package static func == (left: BackendTLSContexts, right: BackendTLSContexts) -> Bool {
        left.tls == right.tls && left.stamps == right.stamps
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(tls)
        hasher.combine(stamps)
    }
}
