import Foundation
import Gateway
import Logging
import Tenants
import TestSupport
import Verification

/// The protocols on both sides of the gateway.
enum GRPCRoute: CaseIterable, Sendable {
    /// Prior knowledge on both sides of the gateway.
    case plaintext
    /// The client uses TLS with ALPN.
    case tlsToGateway
    /// The gateway uses TLS with ALPN to the backend.
    case tlsToBackend
}

/// A running gateway in front of the echo server, which is the backend of its one tenant.
struct GRPCGateway: Sendable {
    static let subject = "alice"

    let server: GRPCEchoServer
    /// The gateway, called with a valid token.
    let endpoint: GRPCEndpoint

    /// A token that is valid for an hour.
    static func token() throws -> String {
        try SharedSecret.token(["aud": "echo"])
    }

    fileprivate static func configuration(
        _ route: GRPCRoute,
        backendPort: Int,
        _ scratch: GRPCScratch
    ) throws -> TenantsConfiguration {
        let certificate = try GRPCCertificate.shared()
        let certificateFile = try scratch.write(certificate.certificate, to: "certificate.pem")
        let keyFile = try scratch.write(certificate.key, to: "key.pem")
        let server = "\(route == .tlsToBackend ? "https" : "h2c")://127.0.0.1:\(backendPort)"
        let backendTLS =
            route == .tlsToBackend
            ? ", tls: { ca_file: \"\(certificateFile)\", server_name: \(GRPCCertificate.name) }" : ""
        let text = """
            version: 1
            gateway:
              listen: [ { address: "127.0.0.1:0", tls: \(route == .tlsToGateway) } ]
              threads: 1
              store: "memory:"
              shutdown_grace: 2s
              log: { access: false }
            tenants:
              echo:
                hosts: [\(GRPCCertificate.name)]
                tls: { certificate_file: "\(certificateFile)", key_file: "\(keyFile)" }
                backend: { servers: ["\(server)"]\(backendTLS) }
                authenticate:
                  from: [bearer]
                  issuers:
                    - { issuer: "https://secret.test", audiences: [echo], algorithms: [HS256], secret: "${SECRET}" }
                identity: { headers: { X-User-Id: sub }, token: keep }
            """
        return try TenantsConfiguration.reading(text)
    }
}

/// Runs the echo server and a gateway before it while `test` runs.
func withGRPCGateway(_ route: GRPCRoute = .plaintext, _ test: (GRPCGateway) async throws -> Void) async throws {
    let scratch = try GRPCScratch()
    defer { scratch.remove() }
    let certificate = try GRPCCertificate.shared()
    try await withGRPCEchoServer(certificate: route == .tlsToBackend ? certificate : nil) { server in
        let gateway = Gateway(
            configuration: try GRPCGateway.configuration(route, backendPort: server.port, scratch),
            logger: Logger(label: "grpc") { _ in SwiftLogNoOpLogHandler() },
            accessLog: .discard
        )
        let bound = try await gateway.start()
        try await attempt {
            guard let address = bound.listeners.first else { throw GRPCSurprise("no listener") }
            let endpoint = GRPCEndpoint(
                host: address.host,
                port: address.port,
                authority: GRPCCertificate.name,
                token: try GRPCGateway.token(),
                certificate: route == .tlsToGateway ? certificate : nil
            )
            try await test(GRPCGateway(server: server, endpoint: endpoint))
        } finally: {
            await gateway.shutdown()
        }
    }
}
