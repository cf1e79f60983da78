import Foundation

/// The proxy configurations in the documents.
enum DocumentedConfiguration {
    private static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func path(_ name: String) -> String { root.appendingPathComponent(name).path }

    /// The first block of a kind under a heading.
    ///
    /// - Parameters:
    ///   - heading: Without its `##`.
    ///   - fence: The language after the backquotes.
    static func block(_ heading: String, _ fence: String, in file: String = "forward-auth") throws -> String {
        let document = path("docs/\(file).md")
        let lines = String(decoding: try Data(contentsOf: URL(fileURLWithPath: document)), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        let section = lines.drop { $0 != "## \(heading)" }.dropFirst().prefix { !$0.hasPrefix("## ") }
        let block = section.drop { $0 != "```\(fence)" }.dropFirst().prefix { $0 != "```" }
        guard !block.isEmpty else { throw Malformed("\(document) has no \(fence) under \(heading)") }
        return block.joined(separator: "\n") + "\n"
    }

    /// The text with other ports, replaced as whole numbers and all at once.
    static func withPorts(_ ports: [String: Int], _ text: String) throws -> String {
        var missing = Set(ports.keys)
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(where: \.isNumber) {
            result += rest[..<start]
            let number = String(rest[start...].prefix(while: \.isNumber))
            missing.remove(number)
            result += ports[number].map { "\($0)" } ?? number
            rest = rest[start...].dropFirst(number.count)
        }
        guard missing.isEmpty else { throw Malformed("the configuration lacks the ports \(missing)") }
        return result + rest
    }
}
