import NIOCore
import NIOEmbedded
import NIOSSL
import Tenants
import TestSupport
import Testing

@testable import Upstream

/// Handshakes with an RSA certificate over loopback; the `openssl` command is the client.
@Suite struct RSAHandshakeTests {
    /// What the client offers, and what it prints of the signature that it got.
    private static let algorithms: [(name: String, type: String, digest: String)] = [
        ("rsa_pss_rsae_sha256", "RSA-PSS", "SHA256"), ("rsa_pss_rsae_sha384", "RSA-PSS", "SHA384"),
        ("rsa_pss_rsae_sha512", "RSA-PSS", "SHA512"), ("rsa_pkcs1_sha256", "RSA", "SHA256"),
        ("rsa_pkcs1_sha384", "RSA", "SHA384"), ("rsa_pkcs1_sha512", "RSA", "SHA512"),
    ]

    let folder: CertificateFolder

    init() throws {
        folder = try CertificateFolder()
        try folder.makeAuthority("ca")
    }

    private func certificates(_ kind: CertificateFolder.KeyKind, name: String = "shop") throws -> ServerCertificates {
        try folder.makeServer(name, by: "ca", for: ["shop.test"], kind)
        return try #require(
            try ServerCertificates(loading: [(hosts: [.exact("shop.test")], certificate: folder.certificate(name))])
        )
    }

    private func connect(_ port: Int, _ arguments: [String]) throws -> String {
        try TimedOpenSSL.output(
            ["s_client", "-connect", "127.0.0.1:\(port)", "-CAfile", folder.file("ca.pem"), "-ign_eof"]
                + ["-servername", "shop.test"] + arguments,
            input: "hello\n"
        )
    }

    @Test(arguments: [CertificateFolder.KeyKind.rsa2048, .rsa3072])
    func handshakeIsSignedWithWhatClientAccepts(kind: CertificateFolder.KeyKind) async throws {
        let listener = try await TLSListenerFixture(certificates(kind))
        for (name, type, digest) in Self.algorithms {
            // PKCS#1 signs no handshake of TLS 1.3 (RFC 8446 section 4.2.3), only certificates.
            for version in name.contains("pss") ? ["-tls1_2", "-tls1_3"] : ["-tls1_2"] {
                // The authority's own certificate has a key on P-256.
                let text = try connect(listener.port, [version, "-sigalgs", "\(name):ecdsa_secp256r1_sha256"])
                #expect(text.contains("Verify return code: 0 (ok)"), "\(version) \(name): \(text)")
                #expect(
                    text.contains("Peer signing digest: \(digest)\nPeer signature type: \(type)\n"),
                    "\(name): \(text)"
                )
                #expect(text.contains("[name=shop.test"), "\(version) \(name)")
            }
        }
        try await listener.close()
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func probabilisticSchemeWithSHA256IsPreferred(version: String) async throws
    {
        let listener = try await TLSListenerFixture(certificates(.rsa2048))
        let text = try connect(listener.port, [version])
        #expect(text.contains("Peer signing digest: SHA256\nPeer signature type: RSA-PSS\n"), "\(text)")
        try await listener.close()
    }

    @Test(arguments: [CertificateFolder.KeyKind.rsa2048, .p256])
    func clientThatAcceptsOnlySHA1IsRefused(kind: CertificateFolder.KeyKind) async throws {
        let listener = try await TLSListenerFixture(certificates(kind))
        let offer = ["-tls1_2", "-cipher", "ALL:@SECLEVEL=0", "-sigalgs", "RSA+SHA1:ECDSA+SHA1"]
        let text = try connect(listener.port, offer)
        #expect(text.contains("alert handshake failure"), "\(text)")
        #expect(!text.contains("[name="))
        try await listener.close()
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func sessionIsResumedWithoutSignature(version: String) async throws {
        let session = folder.file("session")
        let listener = try await TLSListenerFixture(certificates(.rsa2048))
        #expect(try connect(listener.port, [version, "-sess_out", session]).contains("New, TLS"))
        let second = try connect(listener.port, [version, "-sess_in", session])
        #expect(second.contains("Reused, TLS"))
        #expect(second.contains("[name=shop.test"))
        try await listener.close()
    }

    @Test func renewedKeySignsNewHandshakes() async throws {
        let listener = try await TLSListenerFixture(certificates(.rsa2048))
        #expect(try connect(listener.port, []).contains("subject=CN = shop\n"))
        for (name, kind) in [("longer", CertificateFolder.KeyKind.rsa3072), ("curve", .p256), ("shorter", .rsa2048)] {
            listener.replace(try certificates(kind, name: name))
            let text = try connect(listener.port, [])
            #expect(text.contains("subject=CN = \(name)\n"))
            #expect(text.contains("Verify return code: 0 (ok)"))
        }
        try await listener.close()
    }

    // MARK: The key alone

    private func key(_ kind: CertificateFolder.KeyKind) throws -> NIOSSLPrivateKey {
        try folder.makeServer("shop", by: "ca", for: ["shop.test"], kind)
        return try CertificateFiles.privateKey(folder.file("shop.key"))
    }

    @Test func keyOnCurveStaysWithTLSLibrary() throws {
        #expect(RSAHandshakeKey(try key(.p256)) == nil)
    }

    @Test func algorithmThatKeyDoesNotHaveFails() throws {
        let key = try #require(RSAHandshakeKey(try key(.rsa2048)))
        let channel = EmbeddedChannel()
        #expect(throws: RSAHandshakeKey.Failure.self) {
            try key.sign(channel: channel, algorithm: .ecdsaSecp256R1Sha256, data: ByteBuffer(string: "x")).wait()
        }
        #expect(throws: RSAHandshakeKey.Failure.self) {
            try key.decrypt(channel: channel, data: ByteBuffer(string: "x")).wait()
        }
        _ = try channel.finish()
    }
}
