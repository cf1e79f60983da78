/// `openssl s_client` against the TLS port of a gateway.
struct TLSClient: Sendable {
    let fixture: RealGateway

    /// - Parameter options: Without `-connect`. The certificate is verified, but a failure does not end the connection.
    func arguments(_ options: [String]) -> [String] {
        ["s_client", "-connect", "127.0.0.1:\(fixture.securedPort)", "-CAfile", fixture.authority] + options
    }

    /// Sends one request of HTTP/1.1 after the handshake and returns all output of `s_client`, whether or not the
    /// handshake succeeds.
    func ask(_ options: [String], host: String = "app.test", path: String = "/open/x") async throws -> Program.Output {
        let head = "GET \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
        return try await Program.openssl.run(arguments(["-ign_eof"] + options), input: head)
    }

    /// Its output about the handshake only.
    func shake(_ options: [String]) async throws -> Program.Output {
        try await Program.openssl.run(arguments(options))
    }

    /// The common name of the certificate that is shown for a name.
    func shown(for options: [String]) async throws -> String {
        let text = try await shake(options).text
        let subject = text.split(separator: "\n").first { $0.hasPrefix("subject=") }
        return subject.flatMap { $0.split(separator: "CN = ").last }.map(String.init) ?? text
    }
}
