import Foundation
import NIOCore
import TestSupport
import Testing
import Verification

/// Tokens that are bound to the client certificate of their connection (RFC 8705 section 3), with real handshakes.
@Suite struct CertificateBoundTokenTests {
    private static let setup = GatewaySetup(
        gateway: "listen: [ { address: \"127.0.0.1:0\", tls: true } ]",
        tenant: "tls: { certificate_file: \"{certificate}\", key_file: \"{key}\", client_ca_file: \"{ca}\" }"
    )

    /// A client certificate on disk and its `cnf` claim.
    private struct Holder {
        var certificate: String
        var key: String
        var confirmation: JSONValue

        init(_ name: String, in scratch: Scratch) throws {
            let made = try TestAuthority.trusted.get().client(name)
            certificate = try scratch.write(made.certificate, to: "\(name).pem")
            key = try scratch.write(made.key, to: "\(name).key")
            let lines = made.certificate.split(separator: "\n").filter { !$0.hasPrefix("-----") }
            guard let der = Data(base64Encoded: lines.joined()) else { throw Malformed("no certificate") }
            confirmation = ["x5t#S256": .string(Base64URL.encode(SHA256.digest(Array(der))))]
        }
    }

    private func withGuardedGateway(_ test: (GatewayFixture, Scratch) async throws -> Void) async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let authority = try TestAuthority.trusted.get()
        let certificate = try authority.server("app.test")
        let values = [
            "certificate": try scratch.write(certificate.certificate, to: "app.pem"),
            "key": try scratch.write(certificate.key, to: "app.key"),
            "ca": try scratch.write(try authority.pem(), to: "ca.pem"),
        ]
        try await withGateway(Self.setup, values: values) { fixture async throws in try await test(fixture, scratch) }
    }

    /// The statuses of `count` requests by curl.
    private func statuses(
        _ fixture: GatewayFixture,
        _ holder: Holder,
        _ scratch: Scratch,
        token: String,
        options: [String] = [],
        count: Int = 1
    ) async throws -> [String] {
        let port = fixture.address.port
        let url = "https://app.test:\(port)/orders"
        let output = try await Curl.run(
            options + [
                "--resolve", "app.test:\(port):127.0.0.1", "--cacert", "\(scratch.path)/ca.pem", "--cert",
                holder.certificate, "--key", holder.key, "-H", "Authorization: Bearer \(token)", "-o", "/dev/null",
                "-o", "/dev/null", "-w", "%{http_code}\n",
            ] + Array(repeating: url, count: count)
        )
        return output.text.split(separator: "\n").map(String.init)
    }

    @Test(arguments: ["--http1.1", "--http2"])
    func boundTokenRequiresItsCertificate(version: String) async throws {
        try await withGuardedGateway { fixture, scratch async throws in
            let (owner, other) = (try Holder("owner", in: scratch), try Holder("other", in: scratch))
            let token = try fixture.token(["cnf": owner.confirmation])
            #expect(try await statuses(fixture, owner, scratch, token: token, options: [version]) == ["200"])
            #expect(try await statuses(fixture, other, scratch, token: token, options: [version]) == ["401"])
            #expect(
                try await statuses(fixture, other, scratch, token: try fixture.token(), options: [version]) == ["200"]
            )
        }
    }

    /// A session that is resumed has the certificate of its first handshake.
    @Test(arguments: ["--tlsv1.3", "--tls-max 1.2"])
    func resumedSessionKeepsCertificate(version: String) async throws {
        try await withGuardedGateway { fixture, scratch async throws in
            let (owner, other) = (try Holder("owner", in: scratch), try Holder("other", in: scratch))
            let token = try fixture.token(["cnf": owner.confirmation])
            // Connections close after each response, so that curl resumes the first one's session.
            let options = version.split(separator: " ").map(String.init) + ["-H", "Connection: close", "--http1.1"]
            let responses = try await statuses(fixture, owner, scratch, token: token, options: options, count: 2)
            #expect(responses == ["200", "200"])
            let refused = try await statuses(fixture, other, scratch, token: token, options: options, count: 2)
            #expect(refused == ["401", "401"])
        }
    }

    @Test func boundTokenIsRefusedWithoutTLS() async throws {
        try await withGateway { fixture async throws in
            let digest = Base64URL.encode(SHA256.digest([1]))
            let token = try fixture.token(["cnf": ["x5t#S256": .string(digest)]])
            expectChallenge(
                try await fixture.request("/orders", token: token),
                401,
                "invalid_token",
                error: "invalid_token"
            )
        }
    }
}
