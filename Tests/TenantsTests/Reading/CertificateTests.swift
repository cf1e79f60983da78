import Testing
import Time
import Verification

@testable import Tenants

/// What certificates in tenants.yaml come out as, and what is said of them at a time.
struct CertificateTests {
    private static let tls = "{ certificate_file: shop.pem, key_file: shop.key, client_ca_file: address.pem }"

    @Test func serverCertificateHasResolvedPaths() throws {
        let files = PretendFiles(
            Dictionary(uniqueKeysWithValues: Certificates.files.map { ("/etc/gatehouse/\($0.key)", $0.value) })
        )
        let result = Sample.read(Sample.tls(Self.tls), path: "/etc/gatehouse/tenants.yaml", files: files)
        #expect(result.diagnostics.isEmpty)
        let configuration = try #require(result.configuration)
        #expect(configuration.gateway.listeners.map(\.tls) == [true])
        #expect(
            configuration.tenants.first?.tls
                == ServerCertificate(
                    certificateFile: "/etc/gatehouse/shop.pem",
                    keyFile: "/etc/gatehouse/shop.key",
                    clientCAFile: "/etc/gatehouse/address.pem"
                )
        )
    }

    @Test func clientCertificatesReplaceTheAdminToken() throws {
        let files = PretendFiles(Certificates.files)
        let text = Sample.gateway("admin: { address: \"0.0.0.0:9901\", tls: \(Self.tls) }")
        let result = Sample.read(text, files: files)
        #expect(result.diagnostics.isEmpty)
        let admin = try #require(result.configuration?.gateway.admin)
        #expect(admin.token == nil)
        #expect(
            admin.tls
                == ServerCertificate(
                    certificateFile: "shop.pem",
                    keyFile: "shop.key",
                    clientCAFile: "address.pem"
                )
        )
    }

    @Test func adminListenerWithClientAuthoritiesNeedsNoToken() {
        let tls = "{ certificate_file: shop.pem, key_file: shop.key }"
        let text = Sample.gateway("admin: { address: \"0.0.0.0:9901\", tls: \(tls) }")
        let errors = Sample.read(text, files: PretendFiles(Certificates.files)).errors.map(\.message)
        #expect(errors.count == 1)
        #expect(errors.first?.contains("has no token: add \"token\"") == true)
    }

    @Test func backendTLSHasResolvedPaths() throws {
        let files = PretendFiles(Dictionary(uniqueKeysWithValues: Certificates.files.map { ("d/\($0.key)", $0.value) }))
        let tls = "{ ca_file: chain.pem, certificate_file: shop.pem, key_file: shop.key, server_name: API.shop.test }"
        let text = Sample.tenant(backend: "{ servers: [http://a.test, https://b.test], tls: \(tls) }")
        let result = Sample.read(text, path: "d/tenants.yaml", files: files)
        #expect(result.diagnostics.isEmpty)
        #expect(
            result.configuration?.tenants.first?.backends.first?.tls
                == BackendTLS(
                    caFile: "d/chain.pem",
                    certificateFile: "d/shop.pem",
                    keyFile: "d/shop.key",
                    serverName: "api.shop.test"
                )
        )
    }

    @Test func tenantsOfOneHostMayShareACertificate() {
        let result = Sample.read(Sample.sharedHost(Self.tls, Self.tls), files: PretendFiles(Certificates.files))
        #expect(result.diagnostics.isEmpty)
    }

    @Test func certificateIsCheckedAgainstEveryKindOfHost() {
        let tls = "{ certificate_file: address.pem, key_file: address.key }"
        let text = Sample.tls(tls, hosts: "[127.0.0.1, '[::1]', '[0:0::1]', 127.0.0.2, '[::2]', shop.test]")
        let result = Sample.read(text, files: PretendFiles(Certificates.files))
        #expect(result.errors.isEmpty)
        #expect(result.warnings.map(\.column) == [45, 56, 65])
    }

    @Test(arguments: [
        (Sample.tls(tls), "8:30", "clients refuse it"),
        (
            Sample.tenant(
                backend: "{ servers: [https://a.test], tls: { certificate_file: shop.pem, key_file: shop.key } }"
            ),
            "5:68", "servers refuse it"
        ),
    ])
    func certificateThatIsNotValidNowIsAWarning(text: String, position: String, refused: String) throws {
        let pem = try #require(Certificates.files["shop.pem"])
        let validity = try CertificateFile(pem: Array(pem.utf8)).validity
        func diagnostics(at now: UnixTime?) -> [String] {
            Sample.read(text, files: PretendFiles(Certificates.files), now: now).diagnostics.map(\.description)
        }
        #expect(diagnostics(at: validity.lowerBound).isEmpty)
        #expect(diagnostics(at: validity.upperBound).isEmpty)
        #expect(diagnostics(at: nil).isEmpty)
        let expired = try #require(diagnostics(at: validity.upperBound + 1).first)
        #expect(expired.hasPrefix("t.yaml:\(position): warning: the certificate expired on 21"))
        #expect(expired.hasSuffix(", \(refused): renew it"))
        let early = try #require(diagnostics(at: validity.lowerBound - 1).first)
        #expect(early.hasPrefix("t.yaml:\(position): warning: the certificate is not valid before 20"))
        #expect(early.hasSuffix(", \(refused) until then: check the clock, or wait"))
    }
}
