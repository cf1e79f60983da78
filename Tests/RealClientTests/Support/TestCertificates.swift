import Foundation

/// Certificates for the hosts of a ``RealGateway``, made by the `openssl` command.
struct TestCertificates: Sendable {
    let folder: String

    init(in folder: String) async throws {
        self.folder = folder
        // The machine's own settings are kept out: all that a certificate says is said here.
        try "[req]\ndistinguished_name=name\n[name]\n".write(
            toFile: file("openssl.cnf"),
            atomically: true,
            encoding: .utf8
        )
        for authority in ["authority", "members", "strangers"] {
            try await make(authority, ["basicConstraints=critical,CA:TRUE", "keyUsage=keyCertSign"], by: nil)
        }
        try await makeServer("app", for: "app.test")
        try await makeServer("wild", for: "*.wild.test")
        try await makeServer("vault", for: "vault.test")
        for (member, authority) in [("alice", "members"), ("mallory", "strangers")] {
            try await make(member, ["extendedKeyUsage=clientAuth"], by: authority)
        }
    }

    func file(_ name: String) -> String { "\(folder)/\(name)" }

    /// Makes `NAME.pem` and `NAME.key`, in the place of earlier ones.
    func makeServer(_ name: String, for host: String) async throws {
        try await make(name, ["subjectAltName=DNS:\(host)", "extendedKeyUsage=serverAuth"], by: "authority")
    }

    func makeServer(_ name: String, forAddress address: String) async throws {
        try await make(name, ["subjectAltName=IP:\(address)", "extendedKeyUsage=serverAuth"], by: "authority")
    }

    /// In lower-case hex.
    func serialNumber(_ name: String) async throws -> String {
        let text = try await Program.openssl.succeed(["x509", "-in", file("\(name).pem"), "-noout", "-serial"])
        return text.trimmingCharacters(in: .whitespacesAndNewlines).replacingOccurrences(of: "serial=", with: "")
    }

    private func make(_ name: String, _ extensions: [String], by authority: String?) async throws {
        let issuer = authority.map { ["-CA", file("\($0).pem"), "-CAkey", file("\($0).key")] } ?? []
        try await Program.openssl.succeed(
            [
                "req", "-x509", "-config", file("openssl.cnf"), "-nodes", "-days", "30",
                "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                "-subj", "/O=Gatehouse tests/CN=\(name)", "-keyout", file("\(name).key"), "-out", file("\(name).pem"),
            ] + issuer + extensions.flatMap { ["-addext", $0] }
        )
    }
}
