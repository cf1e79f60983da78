import ArgumentParser
import CommandSupport
import NIOSSL

/// The TLS options of commands that use an admin listener.
struct AdminTLSOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "PEM file of the authorities that the admin listener's certificate is of (default: the system's).",
            valueName: "file"
        )
    )
    var adminCa: String?

    @Option(
        help: ArgumentHelp("PEM file of a client certificate, and its chain, to show there.", valueName: "file")
    )
    var adminCertificate: String?

    @Option(help: ArgumentHelp("PEM file of that certificate's private key.", valueName: "file"))
    var adminKey: String?

    func validate() throws {
        guard (adminCertificate == nil) == (adminKey == nil) else {
            throw ValidationError("give --admin-certificate and --admin-key together")
        }
    }

    /// - Throws: ``CommandFailure`` naming the file that cannot be used.
    func client(for url: AdminURL, token: String?) throws -> AdminClient {
        guard url.isSecure || (adminCa == nil && adminCertificate == nil) else {
            throw CommandFailure("\(url) is plain http, where no certificates are shown: give --admin an https URL")
        }
        var tls = TLSConfiguration.makeClientConfiguration()
        if let adminCa {
            tls.trustRoots = .certificates(try Self.read(adminCa) { try NIOSSLCertificate.fromPEMFile($0) })
        }
        if let adminCertificate, let adminKey {
            tls.certificateChain = try Self.read(adminCertificate) { try NIOSSLCertificate.fromPEMFile($0) }
                .map { .certificate($0) }
            tls.privateKey = .privateKey(try Self.read(adminKey) { try NIOSSLPrivateKey(file: $0, format: .pem) })
        }
        return AdminClient(url, token: token, tls: tls)
    }

    private static func read<Value>(_ file: String, _ make: (String) throws -> Value) throws -> Value {
        do {
            return try make(file)
        } catch {
            throw CommandFailure("\(file) cannot be read as PEM (\(error)); check the path and its permissions")
        }
    }
}
