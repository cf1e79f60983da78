import Foundation
import Testing

extension RealClients {
    /// A certificate that is replaced on the disk is shown to new connections; those that are open go on.
    @Suite struct CertificateRenewalTests {
        /// The serial number of the certificate that a new connection is shown.
        private static func shown(_ client: TLSClient) async throws -> String {
            let text = try await client.shake(["-servername", "app.test"]).text
            let begin = "-----BEGIN CERTIFICATE-----"
            let end = "-----END CERTIFICATE-----"
            guard let first = text.range(of: begin), let last = text.range(of: end) else { return "" }
            let certificate = String(text[first.lowerBound..<last.upperBound]) + "\n"
            let serial = try await Program.openssl.succeed(["x509", "-noout", "-serial"], input: certificate)
            return String(serial.trimmingPrefix("serial=").prefix { $0.isHexDigit })
        }

        private static func ask(_ connection: RunningProgram, _ path: String) async throws {
            try connection.write("GET /open\(path) HTTP/1.1\r\nHost: app.test\r\n\r\n")
            try await connection.line(with: "HTTP/1.1 200 OK")
            try await connection.line(with: "Content-Length: ")
        }

        @Test func renewedCertificateIsUsedForNewConnections() async throws {
            try await withRealGateway { fixture async throws in
                let client = TLSClient(fixture: fixture)
                let old = try await fixture.certificates.serialNumber("app")
                #expect(try await Self.shown(client) == old)
                let open = try Program.openssl.start(client.arguments(["-servername", "app.test", "-ign_eof"]))
                try await Self.ask(open, "/before")

                try fixture.certificates.makeServer("app", for: "app.test")
                let new = try await fixture.certificates.serialNumber("app")
                #expect(new != old)
                var serial = old
                let start = ContinuousClock.now
                while serial == old, start.duration(to: .now) < .seconds(30) { serial = try await Self.shown(client) }
                #expect(serial == new)

                try await Self.ask(open, "/after")
                await open.stop()
            }
        }

        @Test func unusableCertificateFileChangesNothing() async throws {
            try await withRealGateway { fixture async throws in
                let client = TLSClient(fixture: fixture)
                let old = try await fixture.certificates.serialNumber("app")
                try "no certificate".write(
                    toFile: fixture.certificates.file("app.pem"),
                    atomically: true,
                    encoding: .utf8
                )
                // Longer than the gateway takes to see that a file has changed.
                let start = ContinuousClock.now
                while start.duration(to: .now) < .seconds(5) { #expect(try await Self.shown(client) == old) }
                try fixture.certificates.makeServer("app", for: "app.test")
                let new = try await fixture.certificates.serialNumber("app")
                var serial = old
                let renewed = ContinuousClock.now
                while serial == old, renewed.duration(to: .now) < .seconds(30) { serial = try await Self.shown(client) }
                #expect(serial == new)
            }
        }
    }
}
