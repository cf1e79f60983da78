/// The words and signs of one file.
struct NginxTokens {
    private let file: String
    private var rest: Substring
    private var line = 1
    /// Where the last token begins.
    private(set) var origin: Origin

    init(file: SourceFile) {
        self.file = file.name
        rest = file.text.replacing("\r\n", with: "\n")[...]
        origin = Origin(file: file.name, line: 1)
    }

    mutating func next() throws(UntranslatableFile) -> NginxToken? {
        skipSpace()
        origin = Origin(file: file, line: line)
        guard let first = rest.first else { return nil }
        switch first {
        case "{":
            rest = rest.dropFirst()
            return .open
        case "}":
            rest = rest.dropFirst()
            return .close
        case ";":
            rest = rest.dropFirst()
            return .end
        case "\"", "'": return .word(try quoted(first))
        default: return .word(word())
        }
    }

    private mutating func word() -> String {
        var text = ""
        while let character = rest.first, !" \t\r\n;".contains(character) {
            // "${name}" is a variable, and regular expressions have braces in quotes only.
            if character == "{", text.last != "$" { break }
            if character == "}", !text.contains("${") { break }
            rest = rest.dropFirst()
            text.append(character)
            if character == "\\", let escaped = rest.first, escaped != "\n" {
                rest = rest.dropFirst()
                text.append(escaped)
            }
        }
        return text
    }

    private mutating func quoted(_ quote: Character) throws(UntranslatableFile) -> String {
        rest = rest.dropFirst()
        var text = ""
        while let character = rest.first {
            rest = rest.dropFirst()
            if character == quote { return text }
            if character == "\n" { line += 1 }
            if character == "\\", let escaped = rest.first, escaped == quote || escaped == "\\" {
                rest = rest.dropFirst()
                text.append(escaped)
            } else {
                text.append(character)
            }
        }
        throw UntranslatableFile(origin, "a text without the quote at its end")
    }

    /// To after the brace that ends a block of another language.
    mutating func skipBraces() throws(UntranslatableFile) -> [NginxDirective] {
        var depth = 1
        while depth > 0 {
            guard let character = rest.first else { throw UntranslatableFile(origin, "a block without its \"}\"") }
            rest = rest.dropFirst()
            switch character {
            case "{": depth += 1
            case "}": depth -= 1
            case "\n": line += 1
            default: break
            }
        }
        return []
    }

    private mutating func skipSpace() {
        while let next = rest.first {
            switch next {
            case " ", "\t", "\r": rest = rest.dropFirst()
            case "\n":
                line += 1
                rest = rest.dropFirst()
            case "#": rest = rest.drop { $0 != "\n" }
            default: return
            }
        }
    }
}

enum NginxToken: Equatable {
    case word(String)
    case open
    case close
    case end
}
