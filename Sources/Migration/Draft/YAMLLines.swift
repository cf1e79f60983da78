/// Lines of YAML in blocks, with comments.
struct YAMLLines {
    private(set) var text = ""

    mutating func line(_ indent: Int, _ content: String, comment: String? = nil) {
        text += String(repeating: " ", count: indent) + content
        if let comment, !comment.isEmpty { text += "  # \(Self.oneLine(comment))" }
        text += "\n"
    }

    mutating func comment(_ indent: Int, _ comment: String) {
        let rest = Self.oneLine(comment)
        text += String(repeating: " ", count: indent) + (rest.isEmpty ? "#" : "# \(rest)") + "\n"
    }

    /// A scalar, in quotes unless it cannot be read as anything else than this text.
    static func scalar(_ text: String) -> String {
        isPlain(text) ? text : quoted(text)
    }

    /// `[a, b]`.
    static func list(_ texts: [String]) -> String {
        "[\(texts.map(scalar).joined(separator: ", "))]"
    }

    /// Letters first, then letters, digits and what means nothing to YAML in any place; or a duration, a size, an
    /// address.
    private static func isPlain(_ text: String) -> Bool {
        let words = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
        guard let first = text.utf8.first, text.utf8.count <= 200, !words.contains(text.lowercased()) else {
            return false
        }
        let rest = text.utf8.drop(while: isDigit)
        if rest.count < text.utf8.count, units.contains(String(Substring(rest))) { return true }
        if text.utf8.allSatisfy({ isLetter($0) || isDigit($0) || "-_./:".utf8.contains($0) }), text.contains(":") {
            return isAddress(text)
        }
        guard first == UInt8(ascii: "/") || isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "-_./".utf8.contains($0) }
            || (isPathPattern(text) && text.utf8.count > 1)
    }

    private static let units: Set<String> = ["ms", "s", "m", "h", "d", "B", "KiB", "MiB", "GiB"]

    /// `https://…` or `10.0.0.1:80`: a colon in it is not the end of a key.
    private static func isAddress(_ text: String) -> Bool {
        let isURL = text.hasPrefix("http://") || text.hasPrefix("https://") || text.hasPrefix("h2c://")
        guard text.last != ":", isURL || text.contains(".") else { return false }
        return text.utf8.first.map { isLetter($0) || isDigit($0) } ?? false
    }

    private static func isPathPattern(_ text: String) -> Bool {
        text.hasPrefix("/") && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "-_./*".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            default:
                let isShown =
                    (0x20...0x7e).contains(scalar.value)
                    || (0xa1...0xd7ff).contains(scalar.value)
                        && scalar.value != 0x2028 && scalar.value != 0x2029
                if isShown {
                    result.unicodeScalars.append(scalar)
                } else {
                    let digits = String(scalar.value, radix: 16)
                    result += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
                }
            }
        }
        return result + "\""
    }

    private static func oneLine(_ comment: String) -> String {
        String(String.UnicodeScalarView(comment.unicodeScalars.map { isShownInComment($0) ? $0 : " " }))
    }

    private static func isShownInComment(_ scalar: Unicode.Scalar) -> Bool {
        (0x20...0x7e).contains(scalar.value)
            || (0xa1...0xd7ff).contains(scalar.value) && scalar.value != 0x2028
                && scalar.value != 0x2029
    }
}
