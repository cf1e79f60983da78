import Foundation
import Gateway
import Logging
import Tenants
import TestSupport
import Verification

/// A running gateway before a Python backend, with a port in plain text and one with TLS.
///
/// Its tenants: `app` on `app.test` (a token is needed but under `/open`), `wild` on `*.wild.test`, and `vault` on
/// `vault.test`, whose clients show a certificate.
final class RealGateway: Sendable {
    let backend: RunningProgram
    let certificates: CertificateFolder
    /// On loopback, in plain text.
    let plainPort: Int
    /// On loopback, with TLS.
    let securedPort: Int
    fileprivate let gateway: Gateway

    fileprivate init(backend: RunningProgram, port: String, certificates: CertificateFolder) async throws {
        self.backend = backend
        self.certificates = certificates
        gateway = Gateway(
            configuration: try Self.configuration(backendPort: port, certificates),
            logger: Logger(label: "real") { _ in SwiftLogNoOpLogHandler() },
            accessLog: .discard
        )
        let listeners = try await gateway.start().listeners
        guard listeners.count == 2 else { throw Program.Failure("\(listeners.count) listeners") }
        (plainPort, securedPort) = (listeners[0].port, listeners[1].port)
    }

    /// The authority that all of the gateway's certificates are issued by, as a file.
    var authority: String { certificates.file("authority.pem") }

    /// A token of `alice`, valid for so many seconds.
    func token(seconds: Int = 3600) throws -> String {
        try SharedSecret.token(["aud": "app"], seconds: seconds)
    }

    /// Begins to drain; see ``Gateway/shutdown()``.
    func shutdown() async { await gateway.shutdown() }

    private static func configuration(
        backendPort: String,
        _ certificates: CertificateFolder
    ) throws -> TenantsConfiguration {
        func tls(_ name: String) -> String {
            "certificate_file: \"\(certificates.file("\(name).pem"))\", key_file: \"\(certificates.file("\(name).key"))\""
        }
        let backend = "backend: { servers: [\"http://127.0.0.1:\(backendPort)\"] }"
        let issuer = "{ issuer: \"https://secret.test\", audiences: [app], algorithms: [HS256], secret: \"${SECRET}\" }"
        let text = """
            version: 1
            gateway:
              listen: [ { address: "127.0.0.1:0" }, { address: "127.0.0.1:0", tls: true } ]
              threads: 1
              store: "memory:"
              shutdown_grace: 20s
              log: { access: false }
            tenants:
              app:
                hosts: [app.test]
                tls: { \(tls("app")) }
                \(backend)
                authenticate:
                  from: [bearer, "query:access_token", "header:Sec-WebSocket-Protocol"]
                  issuers: [ \(issuer) ]
                  leeway: 0s
                access: [ { path: /open/**, allow: anyone } ]
                identity: { headers: { X-User-Id: sub }, token: strip }
              wild:
                hosts: ["*.wild.test"]
                tls: { \(tls("wild")) }
                \(backend)
                authenticate: { from: [bearer], issuers: [ \(issuer) ] }
                access: [ { path: /open/**, allow: anyone } ]
              vault:
                hosts: [vault.test]
                tls: { \(tls("vault")), client_ca_file: "\(certificates.file("members.pem"))" }
                \(backend)
                authenticate: { from: [bearer], issuers: [ \(issuer) ] }
                access: [ { path: /open/**, allow: anyone } ]
            """
        return try TenantsConfiguration.reading(text)
    }
}

/// Runs `test` with a gateway, which is closed afterwards.
///
/// - Parameter script: The backend: the name of one of the Python programs.
func withRealGateway(_ script: String = "backend", _ test: (RealGateway) async throws -> Void) async throws {
    let certificates = try CertificateFolder.forRealGateway()
    let backend = try Program.python.start([Program.script(script)])
    try await attempt {
        let port = try await backend.line()
        let fixture = try await RealGateway(backend: backend, port: port, certificates: certificates)
        try await attempt {
            try await test(fixture)
        } finally: {
            await fixture.shutdown()
        }
    } finally: {
        await backend.stop()
    }
}
