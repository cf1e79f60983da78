import Foundation
import Testing

extension RealClients {
    /// The admin listener with TLS: curl is let in with the token, or with a certificate of the authority that
    /// `client_ca_file` has.
    @Suite struct AdminCertificateTests {
        private static let tls = "tls: { certificate_file: {admin.pem}, key_file: {admin.key}"
        private static let withClients = "\(tls), client_ca_file: {members.pem} }"
        private static let token = "token: \"\(AdminListener.token)\""

        /// - Returns: The status, 0 where there was no response, and the body.
        private func ask(
            _ listener: AdminListener,
            _ path: String = "/metrics",
            _ options: [String] = []
        ) async throws -> (status: Int, body: String) {
            let common = [
                "--disable", "--silent", "--noproxy", "*", "--cacert", listener.authority, "--write-out",
                "\n%{http_code}",
            ]
            let output = try await Program.curl.run(common + options + ["https://127.0.0.1:\(listener.port)\(path)"])
            let lines = output.text.split(separator: "\n", omittingEmptySubsequences: false)
            return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
        }

        private func shown(_ listener: AdminListener, _ name: String) -> [String] {
            ["--cert", listener.certificates.file("\(name).pem"), "--key", listener.certificates.file("\(name).key")]
        }

        private func bearer(_ token: String) -> [String] { ["--header", "Authorization: Bearer \(token)"] }

        @Test func tokenOrCertificateIsAccepted() async throws {
            try await withAdminListener("\(Self.token), \(Self.withClients)") { listener async throws in
                #expect(try await ask(listener).status == 401)
                #expect(try await ask(listener, "/metrics", bearer("wrong")).status == 401)
                #expect(try await ask(listener, "/metrics", bearer(AdminListener.token)).status == 200)
                #expect(try await ask(listener, "/metrics", shown(listener, "alice")).status == 200)
                // Of another authority: the handshake fails.
                #expect(try await ask(listener, "/metrics", shown(listener, "mallory")).status == 0)
                #expect(
                    try await ask(listener, "/metrics", shown(listener, "mallory") + bearer(AdminListener.token)).status
                        == 0
                )
                // These need neither.
                #expect(try await ask(listener, "/readyz").status == 200)
            }
        }

        @Test func certificateIsRequiredWithoutToken() async throws {
            try await withAdminListener(Self.withClients) { listener async throws in
                let refused = try await ask(listener)
                #expect(refused.status == 401)
                #expect(refused.body.contains("client certificate"))
                #expect(try await ask(listener, "/metrics", bearer(AdminListener.token)).status == 401)
                #expect(try await ask(listener, "/metrics", shown(listener, "alice")).status == 200)
            }
        }

        /// A browser presents its certificate to every page's requests.
        @Test func crossSitePageCannotUseCertificate() async throws {
            try await withAdminListener(Self.withClients) { listener async throws in
                let alice = shown(listener, "alice")
                let body = ["--json", #"{"tenant":"app","all":true}"#]
                for field in ["Origin: https://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"] {
                    let response = try await ask(listener, "/api/revocations", alice + body + ["--header", field])
                    #expect(response.status == 403, "\(field)")
                    #expect(response.body.contains("cross_site_request"))
                }
                let own = ["--header", "Origin: https://127.0.0.1:\(listener.port)"]
                #expect(try await ask(listener, "/api/revocations", alice + body + own).status == 200)
            }
        }

        @Test func auditNamesCertificateSubject() async throws {
            try await withAdminListener("\(Self.token), \(Self.withClients)") { listener async throws in
                let change = ["--json", #"{"tenant":"app","subject":"bob","reason":"left"}"#]
                let response = try await ask(listener, "/api/revocations", shown(listener, "alice") + change)
                #expect(response.status == 200, "\(response.body)")
                let line = try #require(listener.log.lines.first(where: { $0.hasPrefix("notice revoked ") }))
                #expect(line.contains("by=certificate CN=alice,O=Gatehouse tests "))
                #expect(line.contains(" id=bob ") && line.contains(" tenant=app"))
            }
        }

        @Test func commandsPresentCertificate() async throws {
            try await withAdminListener(Self.withClients) { listener async throws in
                let gatehouse = try Program.gatehouse()
                let there = ["--admin", "https://127.0.0.1:\(listener.port)", "--admin-ca", listener.authority]
                let (chain, key) = (listener.certificates.file("alice.pem"), listener.certificates.file("alice.key"))
                let shown = ["--admin-certificate", chain, "--admin-key", key]
                #expect(try await gatehouse.run(["health"] + there).status == 0)
                #expect(try await gatehouse.run(["health"] + there.prefix(2)).status != 0)
                let revoke = ["revoke", "--tenant", "app", "--subject", "bob"] + there
                let refused = try await gatehouse.run(revoke)
                #expect(refused.status != 0)
                #expect(refused.complaints.contains("client certificate"))
                let done = try await gatehouse.run(revoke + shown)
                #expect(done.status == 0, "\(done.complaints)")
                #expect(done.text.hasPrefix("revoked: "))
                let without = try await gatehouse.run(revoke + shown.prefix(2))
                #expect(without.complaints.contains("--admin-certificate and --admin-key together"))
                let unreadable = try await gatehouse.run(revoke + ["--admin-certificate", key, "--admin-key", key])
                #expect(unreadable.complaints.contains("\(key) cannot be read as PEM"))
            }
        }

        @Test func renewedCertificateIsShownToNewConnections() async throws {
            try await withAdminListener("\(Self.token), \(Self.tls) }") { listener async throws in
                #expect(try await ask(listener, "/healthz").status == 200)
                try listener.certificates.makeServer("admin", for: "127.0.0.1")
                let serial = try await listener.certificates.serialNumber("admin").lowercased()
                var seen = ""
                // The files are looked at every second, and a change is taken up when it has settled.
                for _ in 0..<200 where seen != serial {
                    let said = try await Program.openssl.run([
                        "s_client", "-connect", "127.0.0.1:\(listener.port)", "-alpn", "http/1.1",
                    ])
                    seen = try await serialNumber(in: said.text)
                }
                #expect(seen == serial)
            }
        }

        private func serialNumber(in text: String) async throws -> String {
            guard let start = text.range(of: "-----BEGIN CERTIFICATE-----"),
                let end = text.range(of: "-----END CERTIFICATE-----")
            else { throw Program.Failure("no certificate: \(text)") }
            let certificate = String(text[start.lowerBound..<end.upperBound]) + "\n"
            return try await Program.openssl.succeed(["x509", "-noout", "-serial"], input: certificate)
                .trimmingCharacters(in: .whitespacesAndNewlines).replacingOccurrences(of: "serial=", with: "")
                .lowercased()
        }
    }
}
