import NIOCore
import NIOHPACK
import NIOSSL
import TestSupport
import Testing

/// TLS to servers: only a verified one gets a request.
@Suite struct SecureBackendTests {
    /// - Parameters:
    ///   - keys: Of `backend.tls`; `{ca}`, `{client}` and `{clientKey}` are files.
    ///   - server: Nil: one with a valid certificate for 127.0.0.1, which requests none.
    private func withSecureBackend(
        _ keys: String = "ca_file: \"{ca}\"",
        scheme: String = "https",
        server: ServerTLS? = nil,
        script: BackendScript = .echo,
        _ test: (GatewayFixture, RecordingBackend, ServerTLS) async throws -> Void
    ) async throws {
        let authority = try TestAuthority.trusted.get()
        let tls = try server ?? ServerTLS(try authority.server("127.0.0.1"))
        let backend = try await RecordingBackend.start(script, tls: tls)
        let scratch = try Scratch()
        defer { scratch.remove() }
        let client = try authority.client("gateway")
        let values = [
            "secure": "\(scheme)://127.0.0.1:\(backend.port)",
            "ca": try scratch.write(try authority.pem(), to: "ca.pem"),
            "client": try scratch.write(client.certificate, to: "client.pem"),
            "clientKey": try scratch.write(client.key, to: "client.key"),
        ]
        let setup = GatewaySetup(
            tenant: "backend: { servers: [\"{secure}\"]\(keys.isEmpty ? "" : ", tls: { \(keys) }") }"
        )
        try await attempt {
            try await withGateway(setup, values: values) { fixture async throws in
                try await test(fixture, backend, tls)
            }
        } finally: {
            await backend.stop()
        }
        #expect(backend.complaints == [])
    }

    private func expectUnreachable(_ fixture: GatewayFixture, _ backend: RecordingBackend) async throws {
        for method in ["GET", "POST"] {
            expectRefusal(try await fixture.request("/open/x", method: method), 503, "backend_unavailable")
        }
        #expect(backend.requests.isEmpty)
        let metrics = try await fixture.metrics()
        #expect(metrics.value("gatehouse_backend_requests_total", ["outcome": "connect_failure"]) == 2)
    }

    @Test func configuredAuthorityIsTrusted() async throws {
        try await withSecureBackend { fixture, backend, tls async throws in
            for size in [0, 5, 200_000] {
                let body = String(repeating: "b", count: size)
                let raw = fixture.head("/open/x", method: "POST", fields: ["Content-Length: \(size)"]) + body
                #expect(try await fixture.send(raw, method: "POST").body.text == body)
            }
            #expect(backend.connections == 1)
            #expect(tls.handshakes == 1)
            #expect(tls.clients == [nil])
            #expect(backend.requests.first?.fields["X-Forwarded-Proto"] == ["http"])
        }
    }

    @Test func otherAuthorityIsNotTrusted() async throws {
        let server = try ServerTLS(try TestAuthority.stranger.get().server("127.0.0.1"))
        try await withSecureBackend(server: server) { fixture, backend, tls async throws in
            try await expectUnreachable(fixture, backend)
            #expect(tls.handshakes == 0)
        }
    }

    @Test func systemAuthoritiesAreTheDefault() async throws {
        try await withSecureBackend("") { fixture, backend, _ async throws in
            try await expectUnreachable(fixture, backend)
            #expect(fixture.log.text.contains("its certificate is not trusted"))
        }
    }

    @Test func expiredServerCertificateIsRefused() async throws {
        let certificate = try TestAuthority.trusted.get().server("127.0.0.1", hasExpired: true)
        try await withSecureBackend(server: try ServerTLS(certificate)) { fixture, backend, _ async throws in
            try await expectUnreachable(fixture, backend)
        }
    }

    @Test func gatewayPresentsClientCertificate() async throws {
        let server = {
            try ServerTLS(try TestAuthority.trusted.get().server("127.0.0.1"), asksClients: true)
        }
        let keys = "ca_file: \"{ca}\", certificate_file: \"{client}\", key_file: \"{clientKey}\""
        try await withSecureBackend(keys, server: try server()) { fixture, _, tls async throws in
            #expect(try await fixture.request("/open/x").status == 200)
            #expect(tls.clients.count == 1)
            #expect(tls.clients.first != .some(nil))
        }
        try await withSecureBackend(server: try server()) { fixture, backend, tls async throws in
            let response = try await fixture.request("/open/x", method: "POST")
            #expect(response.status == 503 || response.status == 502)
            #expect(Problem(response)?.code == "backend_unavailable")
            #expect(backend.requests.isEmpty)
            #expect(tls.handshakes == 0)
        }
    }

    @Test func plainTextToSecureServerFailsCleanly() async throws {
        try await withSecureBackend("", scheme: "http") { fixture, backend, tls async throws in
            for method in ["GET", "POST"] {
                expectRefusal(try await fixture.request("/open/x", method: method), 502, "backend_unavailable")
            }
            #expect(backend.requests.isEmpty)
            #expect(tls.handshakes == 0)
        }
    }

    @Test func serverThatSpeaksNoTLSFailsCleanly() async throws {
        let greeting = BackendScript { exchange in await exchange.close() }
        let backend = try await RecordingBackend.start(greeting)
        let setup = GatewaySetup(tenant: "backend: { servers: [\"https://127.0.0.1:\(backend.port)\"] }")
        try await withGateway(setup) { fixture async throws in
            expectRefusal(try await fixture.request("/open/x"), 503, "backend_unavailable")
        }
        await backend.stop()
    }

    @Test func serverSilentInHandshakeIsUnavailable() async throws {
        let silent = try await Wire.listen { _ in }
        let port = try #require(silent.localAddress?.port)
        let setup = GatewaySetup(
            tenant: "backend: { servers: [\"https://127.0.0.1:\(port)\"], timeouts: { connect: 300ms, response: 60s } }"
        )
        try await withGateway(setup) { fixture async throws in
            expectRefusal(try await fixture.request("/open/x"), 503, "backend_unavailable")
        }
        try await silent.close()
    }

    @Test func closeDuringResponseCutsIt() async throws {
        let raw = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"
        try await withSecureBackend(script: .responseThenClose(raw)) { fixture, _, _ async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/x"))
            #expect(try await client.untilClosed().text.hasSuffix("hello"))
        }
    }

    @Test func http2IsNegotiated() async throws {
        let certificate = try TestAuthority.trusted.get().server("127.0.0.1")
        let tls = try ServerTLS(certificate, applicationProtocols: ["h2", "http/1.1"])
        let backend = try await HTTP2Backend.start(tls: tls) { call in
            let body = try await call.body().bytes
            try await call.respond(body.text)
        }
        let scratch = try Scratch()
        defer { scratch.remove() }
        let values = [
            "secure": "https://127.0.0.1:\(backend.port)",
            "ca": try scratch.write(try TestAuthority.trusted.get().pem(), to: "ca.pem"),
        ]
        let setup = GatewaySetup(tenant: "backend: { servers: [\"{secure}\"], tls: { ca_file: \"{ca}\" } }")
        try await withGateway(setup, values: values) { fixture async throws in
            for body in ["hello", "again"] {
                let raw = fixture.head("/open/x", method: "POST", fields: ["Content-Length: 5"]) + body
                #expect(try await fixture.send(raw, method: "POST").body.text == body)
            }
            let call = try await backend.calls.next()
            #expect(call.fields.first(name: ":scheme") == "https")
            #expect(backend.connections == 1)
        }
        await backend.stop()
        #expect(backend.complaints == [])
    }
}
