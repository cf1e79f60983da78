import NIOPosix
import NIOSSL
import TestSupport
import Testing

@testable import SharedState
@testable import Tenants

/// Providers over TLS on 127.0.0.1: a certificate for only that address does not prove a name.
@Suite(.timeLimit(.minutes(1))) struct ProviderNameTests {
    private let folder: CertificateFolder

    init() throws {
        folder = try CertificateFolder()
        try folder.makeAuthority("ca")
        try folder.makeServer("numbered", by: "ca", for: ["127.0.0.1"])
        try folder.makeServer("named", by: "ca", for: ["localhost", "127.0.0.1"])
    }

    private func withProvider(
        _ certificate: String,
        _ answer: @escaping @Sendable (_ head: String, _ port: Int) -> ProviderServer.Response,
        _ body: (KeySetFetcher, ProviderServer) async throws -> Void
    ) async throws {
        let chain = try NIOSSLCertificate.fromPEMFile(folder.file("\(certificate).pem"))
        let key = try NIOSSLPrivateKey(file: folder.file("\(certificate).key"), format: .pem)
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        var trusting = TLSConfiguration.makeClientConfiguration()
        trusting.trustRoots = .file(folder.file("ca.pem"))
        let fetcher = KeySetFetcher(group: MultiThreadedEventLoopGroup.singleton, tls: trusting)
        let server = try await ProviderServer(tls: try NIOSSLContext(configuration: configuration), answer)
        do {
            try await body(fetcher, server)
        } catch {
            Issue.record(error)
        }
        await server.close()
    }

    @Test(arguments: [
        ("named", "localhost"), ("named", "LocalHost"), ("named", "127.0.0.1"), ("numbered", "127.0.0.1"),
    ])
    func theCertificateIsForTheHost(certificate: String, host: String) async throws {
        let keySet = try SampleKeys.keySet()
        try await withProvider(certificate) { _, _ in
            .keySet(keySet)
        } _: { fetcher, server in
            let source = RemoteKeySource(location: .keySet(url: "https://\(host):\(server.port)/keys"))
            let record = try await fetcher.fetch(source, since: nil, at: 0)
            #expect(record.keySet == keySet)
        }
    }

    @Test func certificateForTheAddressIsRefusedForAName() async throws {
        let keySet = try SampleKeys.keySet()
        try await withProvider("numbered") { _, _ in
            .keySet(keySet)
        } _: { fetcher, server in
            let address = "https://localhost:\(server.port)"
            for location in [RemoteKeySource.Location.keySet(url: address + "/keys"), .discovery(issuer: address)] {
                await #expect(throws: KeySetFetchProblem("the server's certificate is not for localhost")) {
                    try await fetcher.fetch(RemoteKeySource(location: location), since: nil, at: 0)
                }
            }
            #expect(server.requests.value.isEmpty)
        }
    }

    /// With keys behind a name that another has taken.
    @Test func keySetHostIsVerified() async throws {
        try await withProvider("numbered") { _, port in
            let issuer = "https://127.0.0.1:\(port)"
            return .keySet(Array(#"{"issuer":"\#(issuer)","jwks_uri":"https://localhost:\#(port)/keys"}"#.utf8))
        } _: { fetcher, server in
            let source = RemoteKeySource(location: .discovery(issuer: "https://127.0.0.1:\(server.port)"))
            await #expect(throws: KeySetFetchProblem("the server's certificate is not for localhost")) {
                try await fetcher.fetch(source, since: nil, at: 0)
            }
            #expect(server.requests.value.count == 1)
        }
    }

    @Test func untrustedCertificateIsRefused() async throws {
        try folder.makeAuthority("stranger")
        try folder.makeServer("foreign", by: "stranger", for: ["localhost"])
        try await withProvider("foreign") { _, _ in
            .silence
        } _: { fetcher, server in
            let source = RemoteKeySource(location: .keySet(url: "https://localhost:\(server.port)/keys"))
            await #expect(throws: KeySetFetchProblem("the server's certificate is not trusted")) {
                try await fetcher.fetch(source, since: nil, at: 0)
            }
        }
    }

    @Test func keptMetadataOfASecureIssuerDoesNotLeadToPlainHTTP() async throws {
        let keySet = try SampleKeys.keySet()
        let plain = try await ProviderServer { _, _ in .keySet(keySet) }
        try await withProvider("named") { head, port in
            guard head.hasPrefix("GET /.well-known/") else { return .keySet(keySet) }
            let issuer = "https://localhost:\(port)"
            return .keySet(Array(#"{"issuer":"\#(issuer)","jwks_uri":"\#(issuer)/keys"}"#.utf8))
        } _: { fetcher, server in
            let issuer = "https://localhost:\(server.port)"
            let source = RemoteKeySource(location: .discovery(issuer: issuer))
            var record = SampleKeys.record(keySet, fetchedAt: 0, location: source.locationText)
            record.discovery = .init(keySetURL: plain.address + "/keys", fetchedAt: 0)
            let next = try await fetcher.fetch(source, since: record, at: 1)
            #expect(next.discovery == .init(keySetURL: issuer + "/keys", fetchedAt: 1))
            #expect(plain.requests.value.isEmpty)
        }
        await plain.close()
    }
}
