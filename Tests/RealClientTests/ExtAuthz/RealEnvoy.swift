import Foundation
import Glibc

/// Envoy with the configuration that docs/forward-auth.md shows for gRPC, in front of the Python backend.
struct RealEnvoy: Sendable {
    /// Where clients come in.
    let port: Int

    /// What came back to a client.
    struct Answer: Sendable {
        var status: String
        var head: String
        var body: String
    }

    /// - Parameter arguments: Of curl, besides the URL.
    func get(_ path: String, host: String = "app.test", _ arguments: [String] = []) async throws -> Answer {
        let marked = try await Program.curl.succeed(
            ["-s", "-i", "-w", "\n%{http_code}", "-H", "Host: \(host)", "--path-as-is"] + arguments
                + ["http://127.0.0.1:\(port)\(path)"]
        )
        let text = marked.replacingOccurrences(of: "\r\n", with: "\n")
        guard let end = text.range(of: "\n\n"), let status = text.lastIndex(of: "\n") else {
            throw Program.Failure("no answer: \(text)")
        }
        return Answer(
            status: String(text[text.index(after: status)...]),
            head: text[..<end.lowerBound].lowercased(),
            body: String(text[end.upperBound..<max(end.upperBound, status)])
        )
    }

    /// The block of the document, with the ports of this test in place of its own.
    fileprivate static func configuration(port: Int, backend: String, questions: Int) throws -> String {
        let script = URL(fileURLWithPath: Program.script("backend"))
        let root = script.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let document = try String(contentsOf: root.appendingPathComponent("docs/forward-auth.md"), encoding: .utf8)
        guard let section = document.range(of: "## Envoy by gRPC"),
            let start = document.range(of: "```yml\n", range: section.upperBound..<document.endIndex),
            let end = document.range(of: "```\n", range: start.upperBound..<document.endIndex)
        else { throw Program.Failure("docs/forward-auth.md has no block for Envoy by gRPC") }
        var block = String(document[start.upperBound..<end.lowerBound])
        for (shown, used) in [("8000", "\(port)"), ("9001", backend), ("9191", "\(questions)")] {
            let pieces = block.components(separatedBy: "port_value: \(shown) ")
            guard pieces.count == 2 else { throw Program.Failure("\(shown) stands \(pieces.count - 1) times there") }
            block = pieces.joined(separator: "port_value: \(used) ")
        }
        return block
    }

    /// The Envoy of the tests' environment.
    fileprivate static func program() async throws -> Program {
        let script = URL(fileURLWithPath: Program.script("backend"))
        let root = script.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let make = Program(path: root.appendingPathComponent("scripts/test-environment").path, package: "bash")
        let python = try await make.succeed([]).trimmingCharacters(in: .whitespacesAndNewlines)
        let envoy = URL(fileURLWithPath: python).deletingLastPathComponent().appendingPathComponent("envoy")
        return Program(path: envoy.path, package: "python3-venv")
    }

    /// A port of loopback that nobody listens on at the moment.
    fileprivate static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Program.Failure("no socket") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 ? getsockname(descriptor, pointer, &length) : -1
            }
        }
        guard status == 0 else { throw Program.Failure("no port is free") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

/// Runs Envoy between a client and the Python backend, with questions to the gateway, while `visit` runs.
func withRealEnvoy(_ fixture: ExtAuthzGateway, _ visit: (RealEnvoy) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("envoy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let envoy = try await RealEnvoy.program()
    let backend = try Program.python.start([Program.script("backend")])
    var running: RunningProgram?
    do {
        let port = try RealEnvoy.freePort()
        let file = folder.appendingPathComponent("envoy.yaml")
        let configuration = try RealEnvoy.configuration(
            port: port,
            backend: try await backend.line(),
            questions: fixture.port
        )
        try configuration.write(to: file, atomically: false, encoding: .utf8)
        let started = try envoy.start([
            "-c", file.path, "--disable-hot-restart", "--concurrency", "1", "--log-path", "/dev/stdout",
            "--file-flush-interval-msec", "10",
        ])
        running = started
        try await started.line(with: "starting workers")
        try await visit(RealEnvoy(port: port))
    } catch {
        await running?.stop()
        await backend.stop()
        throw error
    }
    await running?.stop()
    await backend.stop()
}
