import Foundation
import TestSupport

/// A ```yaml block of a document, as a whole file.
///
/// A block is a whole file, or with the word `tenant` or `gateway` after `yaml` a part of that section. What is other
/// programs' YAML stands in ```yml blocks.
struct DocumentBlock {
    var document: String
    var line: Int
    var file: String

    /// Something long enough for a secret for each variable that it names, or a private key for ES256.
    var environment: [String: String] {
        let names = file.components(separatedBy: "${").dropFirst().map { $0.prefix { $0.isLetter || $0 == "_" } }
        // No two tokens are alike.
        let values = names.map { name in
            (String(name), String(repeating: "s", count: 64) + (name.hasSuffix("_TOKEN") ? name : ""))
        }
        let keys = DocumentedKey.environment.filter { $0.key == "APPLE_KEY" }
            .merging(["ISSUER_KEY": SamplePrivateKeys.ellipticCurve]) { $1 }
        return Dictionary(values) { first, _ in first }.merging(keys) { $1 }
    }

    /// Those of README.md, ARCHITECTURE.md and docs.
    static func all() throws -> [DocumentBlock] {
        let pages = try ["docs", "docs/providers"].flatMap { folder in
            try Repository.list(folder).filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
        }
        return try (["README.md", "ARCHITECTURE.md"] + pages).flatMap { page in
            blocks(try Repository.text(page), document: page)
        }
    }

    private static func blocks(_ text: String, document: String) -> [DocumentBlock] {
        var blocks: [DocumentBlock] = []
        var fence: (words: [Substring], line: Int)?
        var content = ""
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let open = fence {
                guard line == "```" else {
                    content += line + "\n"
                    continue
                }
                let file = wrapped(content, open.words.last ?? "")
                blocks.append(DocumentBlock(document: document, line: open.line, file: file))
                fence = nil
            } else if line.hasPrefix("```yaml") {
                fence = (line.dropFirst(3).split(separator: " "), index + 1)
                content = ""
            }
        }
        return blocks
    }

    /// A tenant's part comes first, so that its keys do not occur twice.
    private static func wrapped(_ content: String, _ kind: Substring) -> String {
        switch kind {
        case "tenant":
            let given = content.split(separator: "\n").filter { $0.first?.isLetter == true }.map {
                $0.prefix { $0 != ":" }
            }
            let rest = [
                "hosts: [shop.test]", "backend: { servers: [http://127.0.0.1:9001] }",
                "authenticate: { issuers: [\(Sample.issuer)] }",
            ].filter { line in !given.contains { $0.hasPrefix(line.prefix { $0 != ":" }) } }
            let lines = content.split(separator: "\n").map(String.init) + rest
            return "version: 1\ntenants:\n  shop:\n" + lines.map { "    \($0)\n" }.joined()
        case "gateway": return Sample.gateway(content)
        default: return content
        }
    }
}

/// The line of docs/configuration.md from which on it is generated.
enum ConfigurationReferenceMark {
    static let text = "<!-- From here on written by scripts/generate-configuration-reference. -->"
}
