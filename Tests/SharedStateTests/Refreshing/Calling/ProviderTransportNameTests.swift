import NIOPosix
import NIOSSL
import OutgoingHTTP
import TestSupport
import Testing

@testable import SharedState

/// Providers over TLS on 127.0.0.1: a refresh token is sent only to a server whose certificate is for the URL's host.
@Suite(.timeLimit(.minutes(1))) struct ProviderTransportNameTests {
    private let folder: CertificateFolder

    init() throws {
        folder = try CertificateFolder()
        try folder.makeAuthority("ca")
        try folder.makeServer("numbered", by: "ca", for: ["127.0.0.1"])
        try folder.makeServer("named", by: "ca", for: ["localhost", "127.0.0.1"])
        try folder.makeServer("other", by: "ca", for: ["id.test"])
        try folder.makeAuthority("stranger")
        try folder.makeServer("foreign", by: "stranger", for: ["localhost", "127.0.0.1"])
    }

    /// The results of two calls to each of the hosts in the given order, by one transport.
    private func outcomes(
        _ certificate: String,
        _ hosts: [String]
    ) async throws -> (statuses: [Result<Int, RefreshFailure>], requests: [String], connections: Int) {
        let chain = try NIOSSLCertificate.fromPEMFile(folder.file("\(certificate).pem"))
        let key = try NIOSSLPrivateKey(file: folder.file("\(certificate).key"), format: .pem)
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        var trusting = TLSConfiguration.makeClientConfiguration()
        trusting.trustRoots = .file(folder.file("ca.pem"))
        let http = OutgoingHTTP(group: MultiThreadedEventLoopGroup.singleton, tls: trusting)
        let transport = ProviderTransport(http)
        let endpoint = try await TokenEndpoint(tls: try NIOSSLContext(configuration: configuration)) { _, _ in
            .status("200 OK")
        }
        var statuses: [Result<Int, RefreshFailure>] = []
        for host in hosts.flatMap({ [$0, $0] }) {
            let target = "https://\(host):\(endpoint.port)/token"
            let request = RefreshHTTPRequest(method: "POST", target: target, host: [], fields: [], body: [0x61])
            do throws(RefreshFailure) {
                statuses.append(.success(try await transport.send(request, tenant: 0).status))
            } catch {
                statuses.append(.failure(error))
            }
        }
        await http.shutdown()
        await endpoint.close()
        return (statuses, endpoint.requests, endpoint.connections)
    }

    @Test(arguments: [
        ("named", "localhost"), ("named", "LocalHost"), ("named", "127.0.0.1"), ("numbered", "127.0.0.1"),
    ])
    func theCertificateIsForTheHost(certificate: String, host: String) async throws {
        let (statuses, requests, connections) = try await outcomes(certificate, [host])
        #expect(statuses == [.success(200), .success(200)])
        #expect(requests.count == 2)
        #expect(connections == 1)
    }

    @Test(arguments: [
        ("numbered", "localhost"), ("other", "localhost"), ("other", "127.0.0.1"), ("foreign", "localhost"),
    ])
    func aCertificateForAnotherGetsNoRequest(certificate: String, host: String) async throws {
        let (statuses, requests, _) = try await outcomes(certificate, [host])
        #expect(statuses == [.failure(.network), .failure(.network)])
        #expect(requests.isEmpty)
    }

    /// A connection that was good for one host is not used for another at the same address.
    @Test func eachHostIsVerifiedOnItsOwn() async throws {
        let (statuses, requests, _) = try await outcomes("numbered", ["127.0.0.1", "localhost"])
        #expect(statuses == [.success(200), .success(200), .failure(.network), .failure(.network)])
        #expect(requests.count == 2)
    }
}
