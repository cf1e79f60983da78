import TestSupport
import Testing

@testable import Tenants
@testable import Upstream

@Suite struct ServerCertificatesTests {
    let folder: CertificateFolder

    init() throws {
        folder = try CertificateFolder()
        try folder.makeAuthority("ca")
        try folder.makeServer("shop", by: "ca", for: ["shop.test"])
        try folder.makeServer("wild", by: "ca", for: ["*.shop.test"])
    }

    private func problem(
        _ certificate: ServerCertificate,
        _ place: SourceLocation = #_sourceLocation
    ) -> CertificateProblem? {
        do {
            _ = try ServerCertificates(loading: [(hosts: [.exact("a.test")], certificate: certificate)])
            Issue.record("no problem was found", sourceLocation: place)
            return nil
        } catch {
            return error
        }
    }

    @Test func exactNameThenWildcardThenFirstIsChosen() throws {
        let certificates = try #require(
            try ServerCertificates(loading: [
                (hosts: [.exact("first.test")], certificate: folder.certificate("wild", clientCA: "ca")),
                (hosts: [.oneLabelBelow("shop.test")], certificate: folder.certificate("wild")),
                (hosts: [.exact("api.shop.test")], certificate: folder.certificate("shop")),
            ])
        )
        let first = folder.certificate("wild", clientCA: "ca")
        #expect(certificates.identity(forServerName: nil).files == first)
        #expect(certificates.identity(forServerName: "unknown.test").files == first)
        #expect(certificates.identity(forServerName: "api.shop.test").files == folder.certificate("shop"))
        #expect(certificates.identity(forServerName: "API.Shop.Test.").files == folder.certificate("shop"))
        #expect(certificates.identity(forServerName: "web.shop.test").files == folder.certificate("wild"))
        for name in ["a.b.shop.test", "shop.test", ".shop.test", "", ".", "..", "xshop.test"] {
            #expect(certificates.identity(forServerName: name).files == first, "\(name)")
        }
    }

    @Test func identityIsSharedOnlyForSameFiles() throws {
        let certificates = try #require(
            try ServerCertificates(loading: [
                (hosts: [.exact("a.test")], certificate: folder.certificate("shop")),
                (hosts: [.exact("b.test")], certificate: folder.certificate("shop")),
                (hosts: [.exact("c.test")], certificate: folder.certificate("shop", clientCA: "ca")),
            ])
        )
        let shared = certificates.identity(forServerName: "a.test")
        #expect(shared === certificates.identity(forServerName: "b.test"))
        #expect(!shared.isSame(as: certificates.identity(forServerName: "c.test")))
        let readAnew = try #require(
            try ServerCertificates(loading: [(hosts: [.exact("b.test")], certificate: folder.certificate("shop"))])
        )
        #expect(shared !== readAnew.defaultIdentity)
        #expect(shared.isSame(as: readAnew.defaultIdentity))
    }

    @Test func noIdentityWithoutTenantCertificates() throws {
        #expect(try ServerCertificates(loading: []) == nil)
    }

    @Test func everyFileIsNamedOnce() {
        let files = ServerCertificates.files(of: [
            (hosts: [], certificate: folder.certificate("shop", clientCA: "ca")),
            (hosts: [], certificate: folder.certificate("shop")),
        ])
        #expect(files == [folder.file("ca.pem"), folder.file("shop.key"), folder.file("shop.pem")])
    }

    @Test(arguments: [CertificateFolder.KeyKind.p256, .p384, .rsa2048])
    func keysInEveryFormAreAccepted(kind: CertificateFolder.KeyKind) throws {
        try folder.makeServer("pkcs8", by: "ca", for: ["a.test"], kind)
        let isCurve = kind != .rsa2048
        try TimedOpenSSL.succeed(
            isCurve
                ? ["ec", "-in", folder.file("pkcs8.key"), "-out", folder.file("traditional.key")]
                : ["rsa", "-traditional", "-in", folder.file("pkcs8.key"), "-out", folder.file("traditional.key")]
        )
        #expect(try folder.read("pkcs8.key").contains("BEGIN PRIVATE KEY"))
        #expect(try folder.read("traditional.key").contains(isCurve ? "BEGIN EC PRIVATE KEY" : "BEGIN RSA PRIVATE KEY"))
        for key in ["pkcs8.key", "traditional.key"] {
            let files = ServerCertificate(certificateFile: folder.file("pkcs8.pem"), keyFile: folder.file(key))
            #expect(try ServerCertificates(loading: [(hosts: [], certificate: files)]) != nil)
        }
    }

    @Test func missingFileIsNamed() {
        let found = problem(folder.certificate("nowhere"))
        #expect(found?.file == folder.file("nowhere.pem"))
        #expect(found?.problem == "it cannot be read: No such file or directory")
    }

    @Test func folderIsRefused() {
        let files = ServerCertificate(certificateFile: folder.path, keyFile: folder.file("shop.key"))
        #expect(problem(files)?.problem == "it cannot be read: Is a directory")
    }

    @Test(arguments: ["", "garbage", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func fileWithoutCertificateIsNamed(text: String) throws {
        try folder.write(text, to: "bad.pem")
        var files = folder.certificate("shop")
        files.clientCAFile = folder.file("bad.pem")
        #expect(problem(files)?.file == folder.file("bad.pem"))
        files = ServerCertificate(certificateFile: folder.file("bad.pem"), keyFile: folder.file("shop.key"))
        #expect(problem(files)?.problem == "it holds no readable certificate")
    }

    @Test func unreadableKeyIsReported() throws {
        try folder.write("garbage", to: "bad.key")
        let files = ServerCertificate(certificateFile: folder.file("shop.pem"), keyFile: folder.file("bad.key"))
        #expect(problem(files)?.problem == "it holds no readable private key")
    }

    @Test func encryptedKeyIsReported() throws {
        try TimedOpenSSL.succeed([
            "pkcs8", "-topk8", "-in", folder.file("shop.key"), "-out", folder.file("locked.key"), "-passout", "pass:x",
        ])
        let files = ServerCertificate(certificateFile: folder.file("shop.pem"), keyFile: folder.file("locked.key"))
        #expect(problem(files)?.problem == "the key is encrypted")
    }

    @Test(arguments: [CertificateFolder.KeyKind.p256, .rsa2048], [CertificateFolder.KeyKind.p256, .rsa2048])
    func keyOfAnotherCertificateIsReported(kind: CertificateFolder.KeyKind, otherKind: CertificateFolder.KeyKind) throws
    {
        try folder.makeServer("own", by: "ca", for: ["a.test"], kind)
        try folder.makeServer("other", by: "ca", for: ["b.test"], otherKind)
        let files = ServerCertificate(certificateFile: folder.file("own.pem"), keyFile: folder.file("other.key"))
        let found = problem(files)
        #expect(found?.file == folder.file("other.key"))
        #expect(found?.problem == "the key is not that of the first certificate in \(folder.file("own.pem"))")
    }

    @Test func shortRSAKeyIsRefused() throws {
        try folder.makeServer("weak", by: "ca", for: ["a.test"], .rsa1024)
        #expect(problem(folder.certificate("weak"))?.problem == "its RSA key has 1024 bits")
    }
}
