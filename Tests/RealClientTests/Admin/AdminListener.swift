import Foundation
import Gateway
import Logging
import Synchronization
import Tenants
import TestSupport

/// A running gateway with an admin listener: its tenant `app` has an issuer of its own.
final class AdminListener: Sendable {
    static let token = "an-admin-token-of-the-real-clients"

    let certificates: CertificateFolder
    /// Of the admin listener, on loopback.
    let port: Int
    let log: Log
    private let gateway: Gateway

    /// Lines of what was logged: level, message and metadata.
    final class Log: Sendable {
        private let kept = Mutex<[String]>([])

        var lines: [String] { kept.withLock { $0 } }

        fileprivate func add(_ line: String) { kept.withLock { $0.append(line) } }
    }

    /// - Parameter admin: Keys of `gateway.admin` beside its address; `{NAME}` stands for that certificate's file.
    fileprivate init(_ admin: String, _ certificates: CertificateFolder) async throws {
        self.certificates = certificates
        let log = Log()
        self.log = log
        let text = Self.text(admin, certificates)
        gateway = Gateway(
            configuration: try TenantsConfiguration.reading(text),
            logger: Logger(label: "admin") { _ in Handler(log) },
            accessLog: .discard,
            sealingKeys: Secret(Data(repeating: 7, count: 32).base64EncodedString()),
            reading: { request in
                TenantsFile.read(
                    text: Array(text.utf8),
                    path: "tenants.yaml",
                    environment: [:],
                    files: DiskFiles(),
                    further: request.further
                )
            }
        )
        guard let address = try await gateway.start().admin else { throw Program.Failure("no admin listener") }
        port = address.port
    }

    /// Of the certificate `admin`, which is for 127.0.0.1.
    var authority: String { certificates.file("authority.pem") }

    fileprivate func shutdown() async { await gateway.shutdown() }

    private static func text(_ admin: String, _ certificates: CertificateFolder) -> String {
        var keys = admin
        for name in ["admin.pem", "admin.key", "members.pem"] {
            keys = keys.replacingOccurrences(of: "{\(name)}", with: "\"\(certificates.file(name))\"")
        }
        return """
            version: 1
            gateway:
              tenants: [files, store]
              listen: [ { address: "127.0.0.1:0" } ]
              admin: { address: "127.0.0.1:0", \(keys) }
              threads: 1
              store: "memory:"
              shutdown_grace: 1s
              log: { access: false }
            tenants:
              app:
                hosts: [app.test]
                backend: { servers: ["http://127.0.0.1:9"] }
                authenticate: { from: [bearer], issuers: [ { preset: built-in } ] }
                issuer: { url: "https://app.test", audience: app, algorithm: ES256 }
            """
    }

    private struct Handler: LogHandler {
        let kept: Log
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.notice

        init(_ kept: Log) {
            self.kept = kept
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
            kept.add("\(event.level) \(event.message)\(metadata.joined())")
        }
    }
}

/// Runs `test` with an admin listener, which is closed afterwards.
///
/// - Parameter admin: Keys of `gateway.admin`.
func withAdminListener(
    _ admin: String = "token: \"\(AdminListener.token)\"",
    _ test: (AdminListener) async throws -> Void
) async throws {
    let certificates = try CertificateFolder.forRealGateway()
    try certificates.makeServer("admin", for: "127.0.0.1")
    let listener = try await AdminListener(admin, certificates)
    try await attempt {
        try await test(listener)
    } finally: {
        await listener.shutdown()
    }
}
