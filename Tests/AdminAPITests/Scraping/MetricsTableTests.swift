import Foundation
import Testing

@testable import AdminAPI

/// docs/operations.md describes every metric, in the order of the text.
struct MetricsTableTests {
    @Test func documentedTableMatchesTheMetrics() throws {
        let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/operations.md"), encoding: .utf8)
        let table = page.split(separator: "\n").drop { $0 != "| metric | type | labels | meaning |" }.dropFirst(2)
            .prefix { $0.hasPrefix("|") }
        let expected = Metric.all.map { metric in
            let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(metric.name)` | \(metric.kind.rawValue) | \(labels.isEmpty ? "" : "\(labels) ")| "
        }
        #expect(table.count == expected.count)
        for (line, start) in zip(table, expected) {
            // The last column is the meaning, longer than the help text.
            #expect(line.hasPrefix(start) && line.count > start.count + 10, "expected: \(start)")
        }
    }
}
