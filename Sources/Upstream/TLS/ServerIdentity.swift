package import NIOSSL
package import Tenants

/// The gateway's identity on a TLS connection: a certificate with its key, and the CA of accepted client certificates.
///
/// Each has a context with its own session ticket keys, so a session that began under one identity cannot be resumed
/// under another, which may require another client certificate or none.
package final class ServerIdentity: Sendable {
    /// Offered to clients, in our order of preference (RFC 7301).
    package static let applicationProtocols = ["h2", "http/1.1"]
    /// Forward secrecy and authenticated encryption only (RFC 9325 section 4.2). TLS 1.3 has no others.
    package static let cipherSuites = "ECDHE+AESGCM:ECDHE+CHACHA20"
    /// What the handshake is signed with, in our order of preference. SHA-1 is not among them (RFC 9155).
    package static let signatureAlgorithms: [SignatureAlgorithm] = [
        .ecdsaSecp256R1Sha256, .rsaPssRsaeSha256, .rsaPkcs1Sha256,
        .ecdsaSecp384R1Sha384, .rsaPssRsaeSha384, .rsaPkcs1Sha384,
        .ecdsaSecp521R1Sha512, .rsaPssRsaeSha512, .rsaPkcs1Sha512,
    ]

    package let files: ServerCertificate
    package let context: NIOSSLContext
    package let validity: CertificateValidity

    var requiresClientCertificate: Bool { files.clientCAFile != nil }

    /// Blocks on the disk.
    init(_ files: ServerCertificate) throws(CertificateProblem) {
        let (chain, key) = try CertificateFiles.pair(
            certificateFile: files.certificateFile,
            keyFile: files.keyFile
        )
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(RSAHandshakeKey(key).map(NIOSSLPrivateKey.init(customPrivateKey:)) ?? key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuites = Self.cipherSuites
        configuration.signingSignatureAlgorithms = Self.signatureAlgorithms
        configuration.applicationProtocols = Self.applicationProtocols
        configuration.renegotiationSupport = .none
        if let clientCAFile = files.clientCAFile {
            // Only these roots: with the system's, any purchased certificate would be accepted. A client has no host
            // name.
            configuration.trustRoots = .certificates(try CertificateFiles.certificates(clientCAFile))
            configuration.certificateVerification = .noHostnameVerification
            configuration.sendCANameList = true
        }
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw CertificateProblem(
                file: files.certificateFile,
                problem: "TLS cannot be set up with it: \(error)",
                remedy: "check the certificate, its key and the client CA"
            )
        }
        self.files = files
        validity = CertificateValidity(chain)
    }

    /// Whether a connection with one of them may carry requests for the other.
    ///
    /// Compares the file names, not the contents: a connection outlives the renewal of its certificate.
    package func isSame(as other: ServerIdentity) -> Bool {
        self === other || files == other.files
    }
}
