import NIOSSL
import TestSupport
import Testing

@testable import Tenants
@testable import Upstream

/// Against a TLS port of our own, on 127.0.0.1.
@Suite struct BackendTLSContextTests {
    let folder: CertificateFolder

    init() throws {
        folder = try CertificateFolder()
        try folder.makeAuthority("ca")
        try folder.makeServer("named", by: "ca", for: ["shop.test", "*.apps.test"])
        try folder.makeServer("numbered", by: "ca", for: ["127.0.0.1"])
    }

    private func answer(
        of server: ServerCertificate,
        _ tls: BackendTLS?,
        host: String,
        protocols: [String] = ["h2", "http/1.1"]
    ) async throws -> TestClient.Received {
        let certificates = try #require(try ServerCertificates(loading: [(hosts: [], certificate: server)]))
        let context = try BackendTLSContext(tls, applicationProtocols: protocols)
        let pipeline = try await TLSListenerFixture(certificates)
        let answer = try await TestClient.exchange(port: pipeline.port, send: [104, 105], tls: (context, host))
        try await pipeline.close()
        return answer
    }

    private var trusting: BackendTLS { BackendTLS(caFile: folder.file("ca.pem")) }

    @Test(arguments: ["shop.test", "Shop.Test.", "a.apps.test"])
    func certificateForHostIsAccepted(host: String) async throws {
        let answer = try await answer(of: folder.certificate("named"), trusting, host: host)
        let name = host.lowercased().hasSuffix(".") ? String(host.lowercased().dropLast()) : host
        #expect(answer.text == "[name=\(name) alpn=h2 identity=named.pem subject=none]\n")
    }

    @Test(arguments: ["other.test", "a.shop.test", "a.b.apps.test", "127.0.0.1", "[::1]"])
    func certificateForAnotherHostIsRefused(host: String) async throws {
        let answer = try await answer(of: folder.certificate("named"), trusting, host: host)
        #expect(answer.error as? NIOSSLExtraError == .failedToValidateHostname)
        #expect(answer.bytes.isEmpty)
    }

    @Test func addressIsVerifiedButNotSentAsServerName() async throws {
        let answer = try await answer(of: folder.certificate("numbered"), trusting, host: "127.0.0.1")
        #expect(answer.text == "[name=none alpn=h2 identity=numbered.pem subject=none]\n")
    }

    @Test func serverNameTakesPrecedenceOverHost() async throws {
        var tls = trusting
        tls.serverName = "shop.test"
        let found = try await answer(of: folder.certificate("named"), tls, host: "127.0.0.1")
        #expect(found.text.hasPrefix("[name=shop.test "))
        tls.serverName = "other.test"
        let refused = try await answer(of: folder.certificate("named"), tls, host: "shop.test")
        #expect(refused.error as? NIOSSLExtraError == .failedToValidateHostname)
    }

    @Test func onlyConfiguredAuthorityIsTrusted() async throws {
        try folder.makeAuthority("stranger")
        try folder.makeServer("foreign", by: "stranger", for: ["shop.test"])
        for tls in [trusting, nil] {
            let answer = try await answer(of: folder.certificate("foreign"), tls, host: "shop.test")
            #expect(answer.bytes.isEmpty)
            #expect("\(try #require(answer.error))".contains("CERTIFICATE_VERIFY_FAILED"))
        }
    }

    @Test func clientCertificateIsNotAcceptedAsServer() async throws {
        try folder.makeClient("client", by: "ca", subject: "/CN=shop.test")
        let answer = try await answer(of: folder.certificate("client"), trusting, host: "shop.test")
        #expect(answer.bytes.isEmpty)
        #expect(answer.error != nil)
    }

    @Test func clientCertificateIsPresented() async throws {
        try folder.makeClient("gateway", by: "ca", subject: "/CN=gateway")
        var tls = trusting
        tls.certificateFile = folder.file("gateway.pem")
        tls.keyFile = folder.file("gateway.key")
        let server = folder.certificate("named", clientCA: "ca")
        let answer = try await answer(of: server, tls, host: "shop.test")
        #expect(answer.text == "[name=shop.test alpn=h2 identity=named.pem subject=CN=gateway]\n")
    }

    @Test func givenProtocolsAreOffered() async throws {
        let server = folder.certificate("named")
        let old = try await answer(of: server, trusting, host: "shop.test", protocols: ["http/1.1"])
        #expect(old.text.contains("alpn=http/1.1 "))
        let none = try await answer(of: server, trusting, host: "shop.test", protocols: [])
        #expect(none.text.contains("alpn=none "))
    }

    @Test func unusableFileIsNamed() throws {
        let tls = BackendTLS(caFile: folder.file("nowhere.pem"))
        #expect(throws: CertificateProblem.self) { try BackendTLSContext(tls) }
        do {
            _ = try BackendTLSContext(tls)
        } catch {
            #expect(error.file == folder.file("nowhere.pem"))
        }
        #expect(BackendTLSContext.files(of: tls) == [folder.file("nowhere.pem")])
    }
}
