import Foundation

/// The Python environment that scripts/test-environment makes.
enum TestEnvironment {
    /// Its Python, after making it where it is missing.
    static func python() async throws -> Program {
        let root = URL(fileURLWithPath: Program.script("x")).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let make = Program(path: root.appendingPathComponent("scripts/test-environment").path, package: "bash")
        let path = try await make.succeed([]).trimmingCharacters(in: .whitespacesAndNewlines)
        return Program(path: path, package: "python3-venv")
    }
}
