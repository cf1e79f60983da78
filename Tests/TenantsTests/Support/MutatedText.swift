import TestSupport

/// YAML with one value in it replaced by another kind of value, as a slip of the hand may leave it.
enum MutatedText {
    /// Among them what YAML 1.1, YAML 1.2 and our reader may take for different things.
    private static let values = [
        "7", "-1", "+1", "08", "0x10", "1_000", "1e3", ".5", "1.5", "true", "True", "yes", "off", "null", "~", "''",
        "'7'",
        "\"true\"", "text", "5s", "64KiB", "2027-01-01", "[]", "{}", "[a, b]", "{ a: 1 }", "[7, true]", "\"${NAME}\"",
        "${NAME}", "$${NAME}", "http://127.0.0.1:9001", "anyone", "/path",
    ]

    /// The text with the value behind one of its `key: ` replaced; nil where it has none.
    static func of(_ text: String, using random: inout SplitMix64) -> String? {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let places = lines.indices.flatMap { line in ends(ofKeysIn: lines[line]).map { (line, $0) } }
        guard let (line, end) = places.randomElement(using: &random),
            let value = values.randomElement(using: &random)
        else { return nil }
        lines[line] = lines[line][..<end] + value + lines[line][Self.end(ofValueAt: end, in: lines[line])...]
        return lines.joined(separator: "\n")
    }

    private static func ends(ofKeysIn line: String) -> [String.Index] {
        line.indices.filter { index in
            let next = line.index(after: index)
            return line[index] == ":" && next < line.endIndex && line[next] == " "
        }.map { line.index($0, offsetBy: 2) }
    }

    /// Where a value on one line ends: with the line, or inside brackets where the next one begins.
    private static func end(ofValueAt start: String.Index, in line: String) -> String.Index {
        var depth = 0
        for index in line.indices[start...] {
            switch line[index] {
            case "[", "{": depth += 1
            case "]", "}", ",":
                if depth == 0 { return index }
                if line[index] != "," { depth -= 1 }
            default: break
            }
        }
        return line.endIndex
    }
}
