/// Reads oauth2-proxy's configuration file, and its flags and environment variables one a line.
///
/// The file is a flat TOML: `name = value`, where a value is a text in quotes, a word, or a list that may go over lines.
struct OAuth2ProxyText {
    private let file: String
    private var rest: Substring
    private var line = 1

    static func settings(_ text: String, file: String) throws(UntranslatableFile) -> [OAuth2ProxySetting] {
        var reader = OAuth2ProxyText(file: file, text: text)
        return try reader.settings()
    }

    private init(file: String, text: String) {
        self.file = file
        // One character a line end, and none that is put together of several.
        self.rest = text.replacing("\r\n", with: "\n")[...]
    }

    private var origin: Origin { Origin(file: file, line: line) }

    private mutating func settings() throws(UntranslatableFile) -> [OAuth2ProxySetting] {
        var settings: [OAuth2ProxySetting] = []
        while true {
            skipSpace(acrossLines: true)
            guard let first = rest.first else { return settings }
            if first == "[" {
                throw UntranslatableFile(origin, "a table, which oauth2-proxy's configuration has none of: take it out")
            }
            settings.append(try first == "-" ? flag() : assignment())
            skipSpace(acrossLines: false)
            guard rest.isEmpty || rest.first == "\n" else {
                throw UntranslatableFile(origin, "something follows a value: one setting a line")
            }
        }
    }

    /// `--name=value`, `--name value` or `--name`.
    private mutating func flag() throws(UntranslatableFile) -> OAuth2ProxySetting {
        let start = origin
        rest = rest.drop { $0 == "-" }
        let name = takeName()
        guard !name.isEmpty else { throw UntranslatableFile(start, "no flag's name after the dashes") }
        skipSpace(acrossLines: false)
        if rest.first == "=" { rest = rest.dropFirst() }
        skipSpace(acrossLines: false)
        var words = String(rest.prefix { $0 != "\n" })
        rest = rest.dropFirst(words.count)
        while let last = words.last, last == "\\" || last == " " || last == "\t" { words.removeLast() }
        return OAuth2ProxySetting(name, [words.isEmpty ? "true" : Self.unquoted(words)], start, .flag)
    }

    private mutating func assignment() throws(UntranslatableFile) -> OAuth2ProxySetting {
        let start = origin
        if rest.hasPrefix("export ") { rest = rest.dropFirst(7) }
        let name = takeName()
        skipSpace(acrossLines: false)
        guard !name.isEmpty, rest.first == "=" else {
            throw UntranslatableFile(start, "not \"name = value\", nor --name=value, nor OAUTH2_PROXY_NAME=value")
        }
        rest = rest.dropFirst()
        skipSpace(acrossLines: false)
        let prefix = "OAUTH2_PROXY_"
        guard name.hasPrefix(prefix) else { return OAuth2ProxySetting(name, try values(), start, .file) }
        let words = String(rest.prefix { $0 != "\n" })
        rest = rest.dropFirst(words.count)
        let value = Self.unquoted(words)
        let parts = value.split(separator: ",", omittingEmptySubsequences: true).map(String.init)
        // Of commas alone there is a list, of one text that is empty.
        let values = parts.isEmpty && !value.isEmpty ? [""] : parts
        return OAuth2ProxySetting(String(name.dropFirst(prefix.count)), values, start, .variable)
    }

    private mutating func takeName() -> String {
        let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
        rest = rest.dropFirst(name.count)
        return String(name)
    }

    // MARK: Values

    private mutating func values() throws(UntranslatableFile) -> [String] {
        guard rest.first == "[" else { return [try scalar()] }
        let start = origin
        rest = rest.dropFirst()
        var values: [String] = []
        while true {
            skipSpace(acrossLines: true)
            guard let next = rest.first else { throw UntranslatableFile(start, "a list without its \"]\"") }
            if next == "]" {
                rest = rest.dropFirst()
                return values
            }
            values.append(try scalar())
            skipSpace(acrossLines: true)
            if rest.first == "," {
                rest = rest.dropFirst()
            } else if rest.first != "]" {
                throw UntranslatableFile(origin, "values of a list are separated by commas")
            }
        }
    }

    private mutating func scalar() throws(UntranslatableFile) -> String {
        let start = origin
        if rest.hasPrefix("\"\"\"") || rest.hasPrefix("'''") {
            throw UntranslatableFile(start, "a text of several lines: write it in one")
        }
        if rest.first == "'" {
            rest = rest.dropFirst()
            let text = String(rest.prefix { $0 != "'" && $0 != "\n" })
            rest = rest.dropFirst(text.count)
            guard rest.first == "'" else { throw UntranslatableFile(start, "a text without the quote at its end") }
            rest = rest.dropFirst()
            return text
        }
        if rest.first == "\"" { return try quoted(start) }
        let word = rest.prefix { !" \t\n,]#".contains($0) }
        guard !word.isEmpty else { throw UntranslatableFile(start, "a name without a value") }
        rest = rest.dropFirst(word.count)
        return String(word)
    }

    private mutating func quoted(_ start: Origin) throws(UntranslatableFile) -> String {
        rest = rest.dropFirst()
        var text = ""
        while let character = rest.first, character != "\n" {
            rest = rest.dropFirst()
            switch character {
            case "\"": return text
            case "\\":
                guard let escaped = rest.first, let meant = Self.escapes[escaped] else {
                    throw UntranslatableFile(start, "an escape in a text that is not read here: use single quotes")
                }
                rest = rest.dropFirst()
                text.append(meant)
            default: text.append(character)
            }
        }
        throw UntranslatableFile(start, "a text without the quote at its end")
    }

    private static let escapes: [Character: Character] = [
        "\"": "\"", "\\": "\\", "n": "\n", "t": "\t", "r": "\r", "/": "/",
    ]

    private static func unquoted(_ text: String) -> String {
        guard text.count >= 2, let first = text.first, first == text.last, first == "\"" || first == "'" else {
            return text
        }
        return String(text.dropFirst().dropLast())
    }

    private mutating func skipSpace(acrossLines: Bool) {
        while let next = rest.first {
            switch next {
            case " ", "\t", "\r": rest = rest.dropFirst()
            case "\n" where acrossLines:
                line += 1
                rest = rest.dropFirst()
            case "#": rest = rest.drop { $0 != "\n" }
            default: return
            }
        }
    }
}
