import NIOCore
import TestSupport
import Testing

/// A server given by name that presents a certificate for its address only: an attacker who forges a DNS response has
/// such a certificate.
@Suite struct BackendNameTests {
    /// - Parameters:
    ///   - certificate: The name in the server's certificate.
    ///   - host: Of the server's URL.
    ///   - keys: Further ones of `backend`.
    private func withBackend(
        _ certificate: String,
        host: String,
        serverName: String? = nil,
        keys: String = "",
        _ test: (GatewayFixture, RecordingBackend) async throws -> Void
    ) async throws {
        let tls = try ServerTLS(try TestAuthority.trusted.get().server(certificate))
        let backend = try await RecordingBackend.start(.ok, tls: tls)
        try await attempt {
            let server = "https://\(host):\(backend.port)"
            try await withServer(server, serverName: serverName, keys: keys) { try await test($0, backend) }
        } finally: {
            await backend.stop()
        }
    }

    private func withServer(
        _ server: String,
        serverName: String? = nil,
        keys: String = "",
        _ test: (GatewayFixture) async throws -> Void
    ) async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let values = ["ca": try scratch.write(try TestAuthority.trusted.get().pem(), to: "ca.pem")]
        let name = serverName.map { ", server_name: \($0)" } ?? ""
        let setup = GatewaySetup(
            tenant: "backend: { servers: [\"\(server)\"], tls: { ca_file: \"{ca}\"\(name) }\(keys) }"
        )
        try await withGateway(setup, values: values) { fixture async throws in try await test(fixture) }
    }

    @Test(arguments: [("localhost", nil, "localhost"), ("127.0.0.1", "shop.test", "shop.test")])
    func certificateForAddressIsRefusedForName(host: String, serverName: String?, name: String) async throws {
        try await withBackend("127.0.0.1", host: host, serverName: serverName) { fixture, backend async throws in
            for method in ["GET", "POST"] {
                expectRefusal(try await fixture.request("/open/x", method: method), 503, "backend_unavailable")
            }
            #expect(backend.requests.isEmpty)
            let metrics = try await fixture.metrics()
            #expect(metrics.value("gatehouse_backend_requests_total", ["outcome": "connect_failure"]) == 2)
            let lines = fixture.log.text.split(separator: "\n").filter { $0.contains("is not for \(name)") }
            #expect(!lines.isEmpty)
            #expect(lines.allSatisfy { $0.contains("warning") && $0.contains("https://\(host):\(backend.port)") })
        }
    }

    @Test(arguments: [
        ("localhost", "localhost", nil), ("shop.test", "localhost", "shop.test"), ("127.0.0.1", "127.0.0.1", nil),
    ])
    func certificateForNameIsAccepted(certificate: String, host: String, serverName: String?) async throws {
        try await withBackend(certificate, host: host, serverName: serverName) { fixture, backend async throws in
            #expect(try await fixture.request("/open/x").status == 200)
            #expect(backend.requests.count == 1)
        }
    }

    @Test func http2ServerIsVerified() async throws {
        let certificate = try TestAuthority.trusted.get().server("127.0.0.1")
        let tls = try ServerTLS(certificate, applicationProtocols: ["h2", "http/1.1"])
        let backend = try await HTTP2Backend.start(tls: tls) { call in try await call.respond("taken") }
        try await withServer("https://localhost:\(backend.port)") { fixture async throws in
            expectRefusal(try await fixture.request("/open/x"), 503, "backend_unavailable")
            #expect(fixture.log.text.contains("is not for localhost"))
        }
        try await withServer("https://127.0.0.1:\(backend.port)") { fixture async throws in
            #expect(try await fixture.request("/open/x").body.text == "taken")
        }
        await backend.stop()
    }

    @Test func unverifiedServerGetsNoProbe() async throws {
        let keys = ", health: { path: /health, every: 100ms }"
        try await withBackend("127.0.0.1", host: "localhost", keys: keys) { _, backend async throws in
            for _ in 0..<3 { _ = try await backend.ends.next() }
            #expect(backend.requests.isEmpty)
        }
    }
}
