import Foundation
import TestSupport

/// Certificates made by the `openssl` command: `server` for localhost and 127.0.0.1, and `client`, both by `authority`;
/// `stranger` is another authority.
struct TestCertificates: Sendable {
    struct Failed: Error {
        var arguments: [String]
    }

    private let scratch: Scratch

    init() async throws {
        scratch = try Scratch()
        for authority in ["authority", "stranger"] {
            try await make(authority, ["basicConstraints=critical,CA:TRUE", "keyUsage=keyCertSign"], by: nil)
        }
        try await make("server", ["subjectAltName=DNS:localhost,IP:127.0.0.1"], by: "authority")
        try await make("client", ["extendedKeyUsage=clientAuth"], by: "authority")
    }

    func file(_ name: String) -> String { "\(scratch.path)/\(name)" }

    func remove() { scratch.remove() }

    private func make(_ name: String, _ extensions: [String], by authority: String?) async throws {
        // The machine's own settings are kept out: all that a certificate says is said here.
        let settings = try scratch.write("[req]\ndistinguished_name=name\n[name]\n", to: "openssl.cnf")
        var arguments = ["req", "-x509", "-config", settings, "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        arguments += ["-nodes", "-days", "2", "-subj", "/CN=\(name)", "-out", file("\(name).pem")]
        arguments += ["-keyout", file("\(name).key")]
        for item in extensions { arguments += ["-addext", item] }
        if let authority { arguments += ["-CA", file("\(authority).pem"), "-CAkey", file("\(authority).key")] }
        let process = try ServerProcess("/usr/bin/openssl", arguments)
        let status = try await process.end()
        guard status == 0 else { throw Failed(arguments: arguments) }
    }
}
