import Tenants
import TestSupport
import Testing
import Upstream

/// Over loopback, with the `openssl` command or NIO on the other end.
@Suite struct TLSAcceptorTests {
    let folder: CertificateFolder

    init() throws {
        folder = try CertificateFolder()
        try folder.makeAuthority("ca")
        try folder.makeServer("shop", by: "ca", for: ["shop.test"])
        try folder.makeServer("wild", by: "ca", for: ["*.shop.test"], .rsa2048)
    }

    private func certificates() throws -> ServerCertificates {
        try #require(
            try ServerCertificates(loading: [
                (hosts: [.exact("shop.test")], certificate: folder.certificate("shop")),
                (hosts: [.oneLabelBelow("shop.test")], certificate: folder.certificate("wild")),
                (hosts: [.exact("inner.test")], certificate: folder.certificate("shop", clientCA: "ca")),
            ])
        )
    }

    /// Runs `body` with an open port, and closes it.
    private func withPipeline<Value>(
        _ certificates: ServerCertificates? = nil,
        unixTime: Int64 = 0,
        _ body: (TLSListenerFixture) async throws -> Value
    ) async throws -> Value {
        let pipeline = try await TLSListenerFixture(certificates ?? self.certificates(), unixTime: unixTime)
        let value: Value
        do {
            value = try await body(pipeline)
        } catch {
            try await pipeline.close()
            throw error
        }
        try await pipeline.close()
        return value
    }

    private func connect(_ pipeline: TLSListenerFixture, _ arguments: [String]) throws -> String {
        try TimedOpenSSL.output(
            ["s_client", "-connect", "127.0.0.1:\(pipeline.port)", "-CAfile", folder.file("ca.pem"), "-ign_eof"]
                + arguments,
            input: "hello\n"
        )
    }

    private func clientCertificate(_ name: String) -> [String] {
        ["-cert", folder.file("\(name).pem"), "-key", folder.file("\(name).key")]
    }

    // MARK: Names and protocols

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func certificateOfRequestedNameIsPresented(version: String) async throws {
        try await withPipeline { pipeline in
            let exact = try connect(pipeline, [version, "-servername", "Shop.Test"])
            #expect(exact.contains("subject=CN = shop"))
            #expect(exact.contains("Verify return code: 0 (ok)"))
            #expect(exact.contains("[name=shop.test alpn=none identity=shop.pem subject=none]"))
            let wild = try connect(pipeline, [version, "-servername", "a.shop.test"])
            #expect(wild.contains("subject=CN = wild"))
            #expect(wild.contains("[name=a.shop.test alpn=none identity=wild.pem subject=none]"))
            let none = try connect(pipeline, [version, "-noservername"])
            #expect(none.contains("[name=none alpn=none identity=shop.pem subject=none]"))
        }
    }

    @Test func http2IsPreferredAmongOffers() async throws {
        try await withPipeline { pipeline in
            let both = try connect(pipeline, ["-servername", "shop.test", "-alpn", "http/1.1,h2"])
            #expect(both.contains("ALPN protocol: h2"))
            #expect(both.contains("alpn=h2"))
            let old = try connect(pipeline, ["-servername", "shop.test", "-alpn", "spdy/3,http/1.1"])
            #expect(old.contains("ALPN protocol: http/1.1"))
            #expect(old.contains("alpn=http/1.1"))
        }
    }

    @Test func noCommonProtocolGetsItsAlert() async throws {
        try await withPipeline { pipeline in
            let text = try connect(pipeline, ["-servername", "shop.test", "-alpn", "acme-tls/1"])
            #expect(text.contains("no application protocol"))
            #expect(!text.contains("[name="))
        }
    }

    @Test func oldVersionsAreRefused() async throws {
        try await withPipeline { pipeline in
            let text = try connect(pipeline, ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0", "-servername", "shop.test"])
            #expect(text.contains("alert protocol version"))
            #expect(!text.contains("[name="))
        }
    }

    @Test(arguments: [
        "AES128-GCM-SHA256", "ECDHE-RSA-AES128-SHA256", "ECDHE-RSA-AES256-SHA", "DHE-RSA-AES128-GCM-SHA256",
    ])
    func weakCipherSuitesAreRefused(suite: String) async throws {
        try await withPipeline { pipeline in
            let name = ["-tls1_2", "-servername", "a.shop.test"]
            let refused = try connect(pipeline, name + ["-cipher", suite])
            #expect(refused.contains("alert handshake failure"), "\(refused)")
            let taken = try connect(pipeline, name + ["-cipher", "ECDHE-RSA-AES128-GCM-SHA256"])
            #expect(taken.contains("[name="))
        }
    }

    // MARK: Client certificates

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func onlyClientCertificatesOfAuthorityAreAccepted(version: String) async throws {
        try folder.makeAuthority("stranger")
        try folder.makeClient("good", by: "ca", subject: "/O=Shop, Inc/CN=till-7")
        try folder.makeClient("bad", by: "stranger", subject: "/CN=till-7")
        try folder.makeServer("server-only", by: "ca", for: ["till-7"])
        try await withPipeline { pipeline in
            let name = [version, "-servername", "inner.test"]
            let good = try connect(pipeline, name + clientCertificate("good"))
            #expect(good.contains("subject=CN=till-7,O=Shop\\, Inc]"))
            #expect(good.contains("Acceptable client certificate CA names\nCN = ca"))
            for (arguments, alert) in [
                ([], version == "-tls1_2" ? "alert handshake failure" : "alert certificate required"),
                (clientCertificate("bad"), "alert unknown ca"),
                (clientCertificate("server-only"), "alert unsupported certificate"),
            ] {
                let refused = try connect(pipeline, name + arguments)
                #expect(refused.contains(alert), "\(refused)")
                #expect(!refused.contains("[name="))
            }
            let elsewhere = try connect(pipeline, [version, "-servername", "shop.test"] + clientCertificate("good"))
            #expect(elsewhere.contains("identity=shop.pem subject=none]"))
        }
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func resumedSessionKeepsClientCertificate(version: String) async throws {
        try folder.makeClient("good", by: "ca", subject: "/CN=till-7")
        let session = folder.file("session")
        try await withPipeline { pipeline in
            let name = [version, "-servername", "inner.test"]
            let first = try connect(pipeline, name + clientCertificate("good") + ["-sess_out", session])
            #expect(first.contains("New, TLS"))
            #expect(first.contains("subject=CN=till-7]"))
            let second = try connect(pipeline, name + ["-sess_in", session])
            #expect(second.contains("Reused, TLS"))
            #expect(second.contains("subject=CN=till-7]"))
        }
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func sessionIsNotResumedUnderAnotherIdentity(version: String) async throws {
        let session = folder.file("session")
        try await withPipeline { pipeline in
            let first = try connect(pipeline, [version, "-servername", "shop.test", "-sess_out", session])
            #expect(first.contains("[name=shop.test"))
            let resumed = try connect(pipeline, [version, "-servername", "shop.test", "-sess_in", session])
            #expect(resumed.contains("Reused, TLS"))
            let other = try connect(pipeline, [version, "-servername", "a.shop.test", "-sess_in", session])
            #expect(other.contains("New, TLS"))
            #expect(other.contains("identity=wild.pem"))
            let guarded = try connect(pipeline, [version, "-servername", "inner.test", "-sess_in", session])
            #expect(!guarded.contains("[name="))
        }
    }

    @Test func expiredClientCertificateIsRefusedOnResumption() async throws {
        try folder.makeClient("good", by: "ca", subject: "/CN=till-7")
        try await withPipeline(unixTime: 32_503_680_000) { pipeline in
            let text = try connect(pipeline, ["-servername", "inner.test"] + clientCertificate("good"))
            #expect(!text.contains("[name="))
            #expect(try connect(pipeline, ["-servername", "shop.test"]).contains("[name="))
        }
    }

    @Test func clientCertificateWithTooLongSubjectIsRefused() async throws {
        let units = String(repeating: "/OU=\(String(repeating: "u", count: 60))", count: 17)
        try folder.makeClient("long", by: "ca", subject: "\(units)/CN=x")
        try await withPipeline { pipeline in
            let text = try connect(pipeline, ["-servername", "inner.test"] + clientCertificate("long"))
            #expect(!text.contains("[name="))
        }
    }

    // MARK: Input that is not TLS

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "hello"])
    func plainTextGetsHintToUseTLS(text: String) async throws {
        try await withPipeline { pipeline in
            let answer = try await TestClient.exchange(port: pipeline.port, send: Array(text.utf8)).text
            #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
            #expect(
                answer.hasSuffix("Content-Length: 33\r\nConnection: close\r\n\r\nThis port speaks TLS: use https.\n")
            )
        }
    }

    @Test func malformedClientHelloGetsAlertAndClose() async throws {
        try await withPipeline { pipeline in
            // A record of type handshake that holds no ClientHello, and one whose ClientHello is cut short.
            for bytes: [UInt8] in [
                [22, 3, 1, 0, 4, 2, 0, 0, 0], [22, 3, 1, 0, 6, 1, 0, 0, 2, 3, 3], [23, 3, 3, 0, 1, 0],
            ] {
                let answer = try await TestClient.exchange(port: pipeline.port, send: bytes)
                #expect(answer.bytes.first == 21, "\(bytes): \(answer.bytes)")
                #expect(answer.bytes.dropFirst(5).first == 2)
            }
        }
    }

    // MARK: Replacement

    @Test func connectionAfterReplacementGetsNewCertificate() async throws {
        try await withPipeline { pipeline in
            #expect(try connect(pipeline, ["-servername", "shop.test"]).contains("subject=CN = shop\n"))
            try folder.makeServer("renewed", by: "ca", for: ["shop.test"])
            pipeline.replace(
                try #require(
                    try ServerCertificates(loading: [
                        (hosts: [.exact("shop.test")], certificate: folder.certificate("renewed"))
                    ])
                )
            )
            #expect(try connect(pipeline, ["-servername", "shop.test"]).contains("subject=CN = renewed\n"))
        }
    }
}
