import Foundation
import Testing

/// The table in docs/faults.md: each of its rows names the tests that show it.
@Suite struct FaultTableTests {
    private static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()

    private static func table() throws -> String {
        let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return String(decoding: try Data(contentsOf: root.appendingPathComponent("docs/faults.md")), as: UTF8.self)
    }

    /// The tests in this folder, but for this suite's.
    private static func tests() throws -> Set<String> {
        var names: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where file.pathExtension == "swift" && file.lastPathComponent != "FaultTableTests.swift" {
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            for part in text.split(separator: "@Test func ").dropFirst() {
                names.insert(String(part.prefix { $0 != "(" }))
            }
        }
        return names
    }

    @Test func everyRowNamesExistingTests() throws {
        let tests = try Self.tests()
        var rows = 0
        for line in try Self.table().split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard let last = cells.last, last != "tests", cells.first?.hasPrefix("**") == true else { continue }
            rows += 1
            let named = last.split(separator: "`").map(String.init).filter { !$0.trimmingSpaces.isEmpty && $0 != ", " }
            #expect(!named.isEmpty, "\(line)")
            for name in named { #expect(tests.contains(name), "\(name)") }
        }
        #expect(rows >= 12)
    }

    @Test func everyTestIsNamedInTable() throws {
        let text = try Self.table()
        let tests = try Self.tests()
        #expect(tests.count >= 12)
        for test in tests { #expect(text.contains("`\(test)`"), "\(test)") }
    }
}
