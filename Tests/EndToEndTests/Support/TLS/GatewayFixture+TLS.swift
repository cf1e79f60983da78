import TestSupport

extension GatewaySetup {
    /// The ordinary gateway with a TLS listener first, on which `app.test` is served; a plain one comes second.
    ///
    /// - Parameter gateway: Further keys of the `gateway` section.
    static func tls(gateway: String = "", tenant: String = "") -> GatewaySetup {
        GatewaySetup(
            gateway: """
                listen: [ { address: "127.0.0.1:0", tls: true }, { address: "127.0.0.1:0" } ]
                \(gateway)
                """,
            tenant: """
                tls: { certificate_file: "{certificate}", key_file: "{key}" }
                \(tenant)
                """
        )
    }
}

/// A gateway that speaks TLS as `app.test`; see ``GatewaySetup/tls(gateway:tenant:)``.
func withTLSGateway(
    _ setup: GatewaySetup = .tls(),
    backend script: BackendScript = .ok,
    _ test: (GatewayFixture) async throws -> Void
) async throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let certificate = try TestAuthority.trusted.get().server("app.test")
    let values = [
        "certificate": try scratch.write(certificate.certificate, to: "app.pem"),
        "key": try scratch.write(certificate.key, to: "app.key"),
    ]
    try await withGateway(setup, backend: script, values: values, test)
}

extension GatewayFixture {
    /// A new TLS connection to the first listener, past its handshake.
    func connectTLS(applicationProtocols: [String] = [], preamble: [[UInt8]] = []) async throws -> RawClient {
        let tls = try ClientTLS("app.test", applicationProtocols: applicationProtocols)
        return keep(RawClient(try await Wire.connect(to: address, tls: tls, preamble: preamble)))
    }

    /// A new HTTP/2 connection over TLS, past the exchange of prefaces.
    func http2TLS(preamble: [[UInt8]] = []) async throws -> HTTP2Client {
        let client = HTTP2Client(try await connectTLS(applicationProtocols: ["h2"], preamble: preamble))
        try await client.sendRaw(HTTP2Client.preface)
        try await client.send(.settings())
        guard case .settings = try await client.event(on: 0) else { throw Malformed("no SETTINGS first") }
        return client
    }
}
