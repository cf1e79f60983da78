import Foundation
import GRPCNIOTransportHTTP2Posix
import TestSupport

/// A certificate for ``name`` that is its own authority, made by the `openssl` command.
struct GRPCCertificate: Sendable {
    static let name = "echo.test"

    private static let made = Result { try GRPCCertificate() }

    /// One is made for the whole run.
    static func shared() throws -> GRPCCertificate { try made.get() }

    /// PEM.
    let certificate: String
    /// PKCS #8, PEM.
    let key: String

    private init() throws {
        let scratch = try GRPCScratch()
        defer { scratch.remove() }
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        openssl.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=\(Self.name)", "-addext", "subjectAltName=DNS:\(Self.name)",
            "-keyout", scratch.path("key.pem"), "-out", scratch.path("certificate.pem"),
        ]
        openssl.standardInput = FileHandle.nullDevice
        openssl.standardOutput = FileHandle.nullDevice
        openssl.standardError = FileHandle.nullDevice
        try openssl.start()
        openssl.waitUntilExit()
        guard openssl.terminationStatus == 0 else { throw GRPCSurprise("openssl made no certificate") }
        certificate = try scratch.read("certificate.pem")
        key = try scratch.read("key.pem")
    }

    static func serverSecurity(_ certificate: GRPCCertificate) -> HTTP2ServerTransport.Posix.TransportSecurity {
        .tls(
            certificateChain: [.bytes(Array(certificate.certificate.utf8), format: .pem)],
            privateKey: .bytes(Array(certificate.key.utf8), format: .pem)
        ) { $0.requireALPN = true }
    }

    static func clientSecurity(_ certificate: GRPCCertificate) -> HTTP2ClientTransport.Posix.TransportSecurity {
        .tls { $0.trustRoots = .certificates([.bytes(Array(certificate.certificate.utf8), format: .pem)]) }
    }
}

/// A directory for the files of one test.
struct GRPCScratch: Sendable {
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("grpc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    func path(_ name: String) -> String {
        directory.appendingPathComponent(name).path
    }

    func read(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    /// The path of the new file.
    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: path(name), atomically: false, encoding: .utf8)
        return path(name)
    }

    func remove() {
        try? FileManager.default.removeItem(at: directory)
    }
}
