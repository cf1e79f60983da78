import CommandSupport
import NIOSSL
import Testing
import Verification

@testable import gatehouse

/// The token of the admin API is given to nobody but the one whom the URL names.
@Suite struct AdminClientNameTests {
    /// Sends once, to a server on 127.0.0.1.
    ///
    /// - Parameter certificate: What the server's is for.
    /// - Returns: What came, and the requests that arrived.
    private func send(
        host: String,
        certificate: String
    ) async throws -> (answer: Result<JSONObject, any Error>, requests: Int) {
        let authority = try TestAuthority.trusted.get()
        let script = BackendScript.answers("HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{\"is\":\"done\"}")
        let server = try await RecordingBackend.start(script, tls: try ServerTLS(try authority.server(certificate)))
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(try authority.pem().utf8), format: .pem)])
        let client = AdminClient(try AdminURL("https://\(host):\(server.port)"), token: "secret", tls: tls)
        let answer: Result<JSONObject, any Error>
        do {
            answer = .success(try await client.send(.post, "/revocations", [:]))
        } catch {
            answer = .failure(error)
        }
        let requests = server.requests.count
        await server.stop()
        return (answer, requests)
    }

    @Test(arguments: [("localhost", "localhost"), ("LocalHost", "localhost"), ("127.0.0.1", "127.0.0.1")])
    func theGatewayThatIsNamedIsAsked(host: String, certificate: String) async throws {
        let (answer, requests) = try await send(host: host, certificate: certificate)
        #expect(try answer.get()["is"]?.string == "done")
        #expect(requests == 1)
    }

    @Test func aCertificateForTheAddressIsNotForTheName() async throws {
        let (answer, requests) = try await send(host: "localhost", certificate: "127.0.0.1")
        let failure = #expect(throws: CommandFailure.self) { try answer.get() }
        #expect(failure?.description.contains("the server's certificate is not for localhost") == true)
        #expect(requests == 0)
    }
}
