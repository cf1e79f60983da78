package import Foundation

/// The `openssl` command, which makes certificates that nothing of ours had a hand in.
package struct OpenSSLCommand {
    package struct Failed: Error {
        package var arguments: [String]
    }

    /// Where its files are.
    package let directory: URL

    /// Runs `body` with a directory of its own, which is gone afterwards.
    package static func inDirectory<Result>(_ body: (OpenSSLCommand) throws -> Result) throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try body(OpenSSLCommand(directory: directory))
    }

    package func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = directory
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.start()
        ended.wait()
        guard process.terminationStatus == 0 else { throw Failed(arguments: arguments) }
    }

    /// A certificate that signed itself, `NAME.pem`, and its key, `NAME.key`.
    package func makeCertificate(
        _ name: String,
        alternativeNames: String,
        key: String = "ED25519",
        days: Int = 36_500
    ) throws {
        try run(["genpkey", "-algorithm", key, "-out", "\(name).key"])
        var request = ["req", "-x509", "-key", "\(name).key", "-out", "\(name).pem", "-subj", "/CN=\(name)"]
        request += ["-days", "\(days)"]
        if !alternativeNames.isEmpty { request += ["-addext", "subjectAltName=\(alternativeNames)"] }
        try run(request)
    }

    package func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: directory.appendingPathComponent(name))
    }

    package func content(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: directory.appendingPathComponent(name)))
    }
}
