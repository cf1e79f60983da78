import Foundation

/// A temporary folder of certificates that are made by the `openssl` command when a test asks for them.
package final class CertificateFolder: Sendable {
    package enum KeyKind: String {
        case p256 = "P-256"
        case p384 = "P-384"
        case rsa2048 = "rsa:2048"
        case rsa3072 = "rsa:3072"
        case rsa1024 = "rsa:1024"
    }

    package let path: String

    package init() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
        // The machine's own settings are kept out: all that a certificate says is said here.
        try write("[req]\ndistinguished_name=name\n[name]\n", to: "openssl.cnf")
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    package func file(_ name: String) -> String { "\(path)/\(name)" }

    package func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
    }

    package func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: file(name))), as: UTF8.self)
    }

    /// Makes `NAME.pem` and `NAME.key`, an authority.
    package func makeAuthority(_ name: String) throws {
        try make(
            name,
            subject: "/CN=\(name)",
            .p256,
            ["basicConstraints=critical,CA:TRUE", "keyUsage=keyCertSign"],
            []
        )
    }

    /// Makes `NAME.pem` and `NAME.key`, issued by an authority of this folder.
    package func makeServer(_ name: String, by authority: String, for hosts: [String], _ kind: KeyKind = .p256) throws {
        let names = hosts.map { $0.first?.isNumber == true || $0.contains(":") ? "IP:\($0)" : "DNS:\($0)" }
        let extensions = ["subjectAltName=\(names.joined(separator: ","))", "extendedKeyUsage=serverAuth"]
        try make(name, subject: "/CN=\(name)", kind, extensions, issuer(authority))
    }

    package func makeClient(_ name: String, by authority: String, subject: String) throws {
        try make(name, subject: subject, .p256, ["extendedKeyUsage=clientAuth"], issuer(authority))
    }

    private func issuer(_ authority: String) -> [String] {
        ["-CA", file("\(authority).pem"), "-CAkey", file("\(authority).key")]
    }

    private func make(
        _ name: String,
        subject: String,
        _ kind: KeyKind,
        _ extensions: [String],
        _ issuer: [String]
    ) throws {
        let isCurve = kind == .p256 || kind == .p384
        let key =
            isCurve
            ? ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:\(kind.rawValue)"]
            : ["-newkey", kind.rawValue]
        try TimedOpenSSL.succeed(
            ["req", "-x509", "-config", file("openssl.cnf"), "-nodes", "-days", "30", "-utf8", "-multivalue-rdn"] + key
                + ["-keyout", file("\(name).key"), "-out", file("\(name).pem"), "-subj", subject] + issuer
                + extensions.flatMap { ["-addext", $0] }
        )
    }
}
