import CommandSupport
import NIOSSL
import Testing
import Verification

@testable import gatehouse

/// The admin token is sent only to the host that the URL names.
@Suite struct AdminClientNameTests {
    /// Sends one request to a server on 127.0.0.1.
    ///
    /// - Parameter certificate: The name in the server's certificate.
    /// - Returns: The result, and the number of requests that arrived.
    private func send(
        host: String,
        certificate: String
    ) async throws -> (response: Result<JSONObject, any Error>, requests: Int) {
        let authority = try TestAuthority.trusted.get()
        let script = BackendScript.response("HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{\"is\":\"done\"}")
        let server = try await RecordingBackend.start(script, tls: try ServerTLS(try authority.server(certificate)))
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(try authority.pem().utf8), format: .pem)])
        let client = AdminClient(try AdminURL("https://\(host):\(server.port)"), token: "secret", tls: tls)
        let response: Result<JSONObject, any Error>
        do {
            response = .success(try await client.send(.post, "/revocations", [:]))
        } catch {
            response = .failure(error)
        }
        let requests = server.requests.count
        await server.stop()
        return (response, requests)
    }

    @Test(arguments: [("localhost", "localhost"), ("LocalHost", "localhost"), ("127.0.0.1", "127.0.0.1")])
    func gatewayWithMatchingNameIsAsked(host: String, certificate: String) async throws {
        let (response, requests) = try await send(host: host, certificate: certificate)
        #expect(try response.get()["is"]?.string == "done")
        #expect(requests == 1)
    }

    @Test func certificateForAddressIsRefusedForName() async throws {
        let (response, requests) = try await send(host: "localhost", certificate: "127.0.0.1")
        let failure = #expect(throws: CommandFailure.self) { try response.get() }
        #expect(failure?.description.contains("the server's certificate is not for localhost") == true)
        #expect(requests == 0)
    }
}
