import Foundation

/// A directory of a test's own.
package struct Scratch: Sendable {
    package let path: String

    package init() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("fixture-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        path = directory.path
    }

    /// The path of the new file.
    package func write(_ text: String, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }

    package func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
