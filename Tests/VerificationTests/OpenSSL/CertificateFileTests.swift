import TestSupport
import Testing
import Time

@testable import Verification

struct CertificateFileTests {
    /// Made once by the `openssl` command for all tests.
    private static let files = Result {
        try OpenSSLCommand.inDirectory { openSSL in
            let names = "DNS:shop.test,DNS:*.Shop.test,IP:127.0.0.1,IP:::1,URI:https://shop.test,email:a@shop.test"
            try openSSL.makeCertificate("shop", alternativeNames: names, days: 10)
            try openSSL.makeCertificate("bare", alternativeNames: "", key: "RSA")
            try openSSL.run(["rsa", "-traditional", "-in", "bare.key", "-out", "bare-older.key"])
            try openSSL.run(["ecparam", "-name", "prime256v1", "-genkey", "-out", "curve.key"])
            try openSSL.run(["req", "-x509", "-key", "curve.key", "-out", "curve.pem", "-subj", "/CN=curve"])
            let cipher = ["-aes256", "-passout", "pass:password"]
            try openSSL.run(["pkey", "-in", "bare.key", "-out", "encrypted.key"] + cipher)
            try openSSL.run(["rsa", "-traditional", "-in", "bare.key", "-out", "encrypted-older.key"] + cipher)
            let endings = ["shop.pem", "bare.pem", "curve.pem", "shop.key", "bare.key", "bare-older.key", "curve.key"]
            var files: [String: [UInt8]] = [:]
            for name in endings + ["encrypted.key", "encrypted-older.key"] { files[name] = try openSSL.content(name) }
            return files
        }
    }

    private static func file(_ name: String) throws -> [UInt8] {
        try #require(try files.get()[name])
    }

    @Test func leafNamesAndValidityAreRead() throws {
        let certificate = try CertificateFile(pem: try Self.file("shop.pem") + Self.file("bare.pem"))
        #expect(certificate.count == 2)
        #expect(
            certificate.names == [
                .dns("shop.test"), .dns("*.Shop.test"), .address([127, 0, 0, 1]),
                .address([UInt8](repeating: 0, count: 15) + [1]),
            ]
        )
        #expect(certificate.validity.upperBound - certificate.validity.lowerBound == 10 * 86_400)
    }

    @Test func commonNameIsIgnored() throws {
        #expect(try CertificateFile(pem: try Self.file("bare.pem")).names.isEmpty)
    }

    @Test(arguments: [("shop", "shop"), ("bare", "bare"), ("bare", "bare-older"), ("curve", "curve")])
    func everyKindOfKeyBelongsToItsCertificate(certificate: String, key: String) throws {
        let key = try PrivateKeyFile(pem: try Self.file("\(key).key"))
        #expect(try CertificateFile(pem: try Self.file("\(certificate).pem")).index(of: key) == 0)
        for other in ["shop", "bare", "curve"] where other != certificate {
            #expect(try CertificateFile(pem: try Self.file("\(other).pem")).index(of: key) == nil)
        }
    }

    @Test func indexOfTheKeysCertificateIsFound() throws {
        let chain = try CertificateFile(pem: try Self.file("bare.pem") + Self.file("shop.pem"))
        #expect(chain.index(of: try PrivateKeyFile(pem: try Self.file("shop.key"))) == 1)
    }

    @Test func keyAndCertificateMayShareAFile() throws {
        let both = try Self.file("curve.key") + Self.file("curve.pem")
        #expect(try CertificateFile(pem: both).index(of: try PrivateKeyFile(pem: both)) == 0)
    }

    @Test func malformedCertificateIsRefused() throws {
        let good = try Self.file("shop.pem")
        func error(_ pem: [UInt8]) -> CertificateFileError? {
            do throws(CertificateFileError) {
                _ = try CertificateFile(pem: pem)
                return nil
            } catch {
                return error
            }
        }
        #expect(error([]) == .noCertificate)
        #expect(error(Array("text".utf8)) == .noCertificate)
        #expect(error(try Self.file("shop.key")) == .noCertificate)
        #expect(error(Array(good.dropLast(10))) == .notPEM)
        #expect(error([0xff] + good) == .notPEM)
        let der = try #require(PEM.blocks(good)?.first?.content)
        #expect(error(good + Array(PEM.text(label: "CERTIFICATE", [1, 2, 3]).utf8)) == .malformedCertificate(index: 1))
        #expect(error(Array(PEM.text(label: "CERTIFICATE", der + [0]).utf8)) == .malformedCertificate(index: 0))
    }

    @Test func malformedKeyIsRefused() throws {
        func error(_ pem: [UInt8]) -> CertificateFileError? {
            do throws(CertificateFileError) {
                _ = try PrivateKeyFile(pem: pem)
                return nil
            } catch {
                return error
            }
        }
        #expect(error(Array("text".utf8)) == .noKey)
        #expect(error(try Self.file("shop.pem")) == .noKey)
        #expect(error(Array(try Self.file("shop.key").dropLast(10))) == .notPEM)
        #expect(error(Array(PEM.text(label: "PRIVATE KEY", [1, 2, 3]).utf8)) == .malformedKey)
        #expect(error(try Self.file("encrypted.key")) == .encryptedKey)
        #expect(error(try Self.file("encrypted-older.key")) == .encryptedKey)
    }

    @Test func printingAKeyShowsNothing() throws {
        let key = try PrivateKeyFile(pem: try Self.file("shop.key"))
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "private key")
        #expect(dumped == "- private key\n")
    }

    @Test func noMutationOfACertificateCrashes() throws {
        let original = try #require(PEM.blocks(try Self.file("shop.pem"))?.first?.content)
        var random = SplitMix64(seed: 0x6365_7274)
        let key = try PrivateKeyFile(pem: try Self.file("shop.key"))
        var refused = 0
        for _ in 0..<2000 {
            var der = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                der[Int.random(in: der.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let file = try? CertificateFile(pem: Array(PEM.text(label: "CERTIFICATE", der).utf8)) else {
                refused += 1
                continue
            }
            #expect([nil, 0].contains(file.index(of: key)))
        }
        #expect(refused > 100)
    }
}

struct GeneralNamesTests {
    private static let shop: [UInt8] = [0x82, 4] + Array("shop".utf8)

    @Test func otherKindsOfNamesAreIgnored() {
        #expect(GeneralNames.read([0x30, 10, 0x81, 2, 0x61, 0x40] + Self.shop) == [.dns("shop")])
        #expect(GeneralNames.read([0x30, 0]) == [])
    }

    @Test func longListHasALongLength() {
        let names = Array(repeating: Self.shop, count: 50)
        let content = Array(names.joined())
        #expect(GeneralNames.read([0x30, 0x82, 1, 44] + content)?.count == 50)
        #expect(GeneralNames.read([0x30, 0x81, 150] + content.prefix(150))?.count == 25)
    }

    @Test func truncatedListIsMalformed() {
        let whole = [0x30, 12] + Self.shop + [0x87, 4, 10, 0, 0, 1]
        #expect(GeneralNames.read(whole) == [.dns("shop"), .address([10, 0, 0, 1])])
        for length in 0..<whole.count { #expect(GeneralNames.read(Array(whole.prefix(length))) == nil) }
        #expect(GeneralNames.read(whole + [0]) == nil)
    }

    @Test(arguments: [
        [0x31, 0], [0x30, 0x80, 0, 0], [0x30, 0x83, 0, 0, 0], [0x30, 3, 0x82, 1, 0x00], [0x30, 3, 0x82, 1, 0x20],
        [0x30, 5, 0x87, 3, 1, 2, 3], [0x30, 3, 0x9f, 1, 0x61],
    ])
    func malformedListOfNamesIsRefused(bytes: [UInt8]) {
        #expect(GeneralNames.read(bytes) == nil)
    }

    @Test func randomBytesNeverCrash() {
        var random = SplitMix64(seed: 0x7361_6e73)
        for _ in 0..<20_000 {
            let length = Int.random(in: 0...24, using: &random)
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let sequence = [0x30, UInt8(length)] + bytes
            for name in GeneralNames.read(sequence) ?? [] {
                if case .dns(let text) = name { #expect(text.utf8.count <= length) }
            }
        }
    }
}
