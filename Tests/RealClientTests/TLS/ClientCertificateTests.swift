import Foundation
import Testing

extension RealClients {
    /// A tenant with `client_ca_file` accepts clients with a certificate of that authority, and no others.
    @Suite struct ClientCertificateTests {
        private static func options(_ fixture: RealGateway, member: String? = nil, version: String = "-tls1_3")
            -> [String]
        {
            let certificate = member.map {
                ["-cert", fixture.certificates.file("\($0).pem"), "-key", fixture.certificates.file("\($0).key")]
            }
            return ["-servername", "vault.test", version] + (certificate ?? [])
        }

        @Test(arguments: ["-tls1_2", "-tls1_3"])
        func handshakeFailsWithoutCertificate(_ version: String) async throws {
            try await withRealGateway { fixture async throws in
                let options = Self.options(fixture, version: version)
                let output = try await TLSClient(fixture: fixture).ask(options, host: "vault.test")
                #expect(!output.text.contains("HTTP/1.1"))
                #expect(output.complaints.contains("alert"), "\(output.complaints)")
            }
        }

        @Test(arguments: ["-tls1_2", "-tls1_3"])
        func certificateOfOtherAuthorityIsRefused(_ version: String) async throws {
            try await withRealGateway { fixture async throws in
                let options = Self.options(fixture, member: "mallory", version: version)
                let output = try await TLSClient(fixture: fixture).ask(options, host: "vault.test")
                #expect(!output.text.contains("HTTP/1.1"))
                #expect(output.complaints.contains("alert"), "\(output.complaints)")
            }
        }

        @Test(arguments: ["-tls1_2", "-tls1_3"])
        func memberCertificateIsAcceptedAndSubjectForwarded(_ version: String) async throws {
            try await withRealGateway { fixture async throws in
                // Else it prints the sessions that it is given, wherever the response is by then.
                let options = Self.options(fixture, member: "alice", version: version) + ["-quiet"]
                let client = TLSClient(fixture: fixture)
                let output = try await client.ask(options, host: "vault.test", path: "/open/seen").text
                #expect(output.contains("HTTP/1.1 200 OK\r\n"))
                let start = try #require(output.range(of: "\r\n\r\n{")).upperBound
                let line = "{" + output[start...].prefix { $0 != "\n" && $0 != "\r\n" }
                let end = try #require(line.lastIndex(of: "}"))
                let seen = try jsonLine(String(line[...end]))
                #expect(seen.received("x-client-certificate-subject") == ["CN=alice,O=Gatehouse tests"])
            }
        }

        @Test(arguments: ["http1.1", "http2"])
        func forgedSubjectIsRemoved(_ version: String) async throws {
            try await withRealGateway { fixture async throws in
                let forged = [
                    "--header", "X-Client-Certificate-Subject: CN=root", "--header",
                    "x_client_certificate_subject: CN=root",
                ]
                let certificates = fixture.certificates
                let member = ["--cert", certificates.file("alice.pem"), "--key", certificates.file("alice.key")]
                let secured = fixture.securedPort
                let expected: [(url: String, options: [String], subjects: [String])] = [
                    ("https://vault.test:\(secured)/open/seen", member, ["CN=alice,O=Gatehouse tests"]),
                    // No certificate was requested, so none is forwarded.
                    ("https://app.test:\(secured)/open/seen", member, []),
                    ("https://app.test:\(secured)/open/seen", [], []),
                    ("http://app.test:\(fixture.plainPort)/open/seen", [], []),
                ]
                for (url, options, subjects) in expected {
                    let common = [
                        "--disable", "--silent", "--show-error", "--noproxy", "*", "--cacert", fixture.authority,
                    ]
                    let hosts = ["vault.test:\(secured)", "app.test:\(secured)", "app.test:\(fixture.plainPort)"]
                    let resolve = hosts.flatMap { ["--resolve", "\($0):127.0.0.1"] }
                    let arguments = common + ["--\(version)"] + resolve + forged + options + [url]
                    let seen = try jsonLine(try await Program.curl.succeed(arguments))
                    #expect(seen.received("x-client-certificate-subject") == subjects, "\(url)")
                    #expect(seen.received("x_client_certificate_subject") == [], "\(url)")
                }
            }
        }

        @Test func tenantRequiringCertificateIsRefusedInPlainText() async throws {
            try await withRealGateway { fixture async throws in
                let url = "http://127.0.0.1:\(fixture.plainPort)/open/x"
                let options = ["--disable", "--silent", "--include", "--noproxy", "*", "--header", "Host: vault.test"]
                let text = try await Program.curl.succeed(options + [url])
                #expect(text.hasPrefix("HTTP/1.1 421 "), "\(text)")
            }
        }

        @Test func sessionOfAnotherTenantIsNotResumed() async throws {
            try await withRealGateway { fixture async throws in
                let client = TLSClient(fixture: fixture)
                let session = fixture.certificates.file("session.pem")
                let options = ["-tls1_2", "-sess_out", session]
                #expect(try await client.ask(["-servername", "app.test"] + options).text.contains("200 OK"))
                let resumed = ["-servername", "vault.test", "-tls1_2", "-sess_in", session]
                let output = try await client.ask(resumed, host: "vault.test")
                #expect(!output.text.contains("HTTP/1.1"), "\(output.text.suffix(500))")
            }
        }
    }
}
