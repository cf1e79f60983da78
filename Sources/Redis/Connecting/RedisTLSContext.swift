import NIOSSL
import PeerNames

/// The TLS settings for servers and sentinels. Made once: with the system's roots it takes milliseconds.
struct RedisTLSContext: Sendable {
    private let context: NIOSSLContext
    private let serverName: String?

    /// Blocks on the disk.
    ///
    /// - Throws: ``RedisError/unusable(_:)`` that names the file.
    init(_ tls: RedisTLS) throws(RedisError) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .fullVerification
        configuration.renegotiationSupport = .none
        if let file = tls.caFile {
            configuration.trustRoots = .certificates(try Self.certificates(file))
        }
        switch (tls.certificateFile, tls.keyFile) {
        case (nil, nil): break
        case (let certificateFile?, let keyFile?):
            configuration.certificateChain = try Self.certificates(certificateFile).map { .certificate($0) }
            configuration.privateKey = .privateKey(try Self.key(keyFile))
        case (.some, nil), (nil, .some):
            throw .unusable("a client certificate and its key are given together or not at all")
        }
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw .unusable("TLS cannot be set up with \(tls.certificateFile ?? tls.caFile ?? "these roots"): \(error)")
        }
        serverName = tls.serverName
    }

    /// The first handler of a connection.
    ///
    /// An IP address is not sent as a name (RFC 6066 section 3), and is verified as the address that the connection
    /// goes to (RFC 9525 section 6.5).
    func makeHandler(forHost host: String) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: name(forHost: host)?.text)
    }

    /// The check that remains after the handshake.
    ///
    /// - Returns: What is wrong with the server's certificate.
    func problem(with certificate: NIOSSLCertificate?, ofHost host: String) -> String? {
        do throws(PeerNameProblem) {
            try name(forHost: host)?.verify(certificate)
            return nil
        } catch {
            return "TLS: \(error)"
        }
    }

    private func name(forHost host: String) -> PeerName? { PeerName(ofHost: serverName ?? host) }

    private static func certificates(_ file: String) throws(RedisError) -> [NIOSSLCertificate] {
        do {
            let certificates = try NIOSSLCertificate.fromPEMFile(file)
            if !certificates.isEmpty { return certificates }
        } catch {
            throw .unusable("\(file) holds no readable certificate in PEM: \(error)")
        }
        throw .unusable("\(file) holds no certificate in PEM")
    }

    private static func key(_ file: String) throws(RedisError) -> NIOSSLPrivateKey {
        do {
            return try NIOSSLPrivateKey(file: file, format: .pem)
        } catch {
            throw .unusable("\(file) holds no readable private key in PEM: \(error)")
        }
    }
}
