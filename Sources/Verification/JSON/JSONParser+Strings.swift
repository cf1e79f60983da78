extension JSONParser {
    /// Reads a string whose opening quote is the current byte.
    mutating func string() throws(JSONParsingError) -> String {
        position += 1
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                let text = try text(start..<position)
                position += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try stringWithEscapes(from: start) }
            guard byte >= 0x20 else { throw .malformed(at: position) }
            position += 1
        }
        throw .malformed(at: position)
    }

    private func text(_ range: Range<Int>) throws(JSONParsingError) -> String {
        do {
            return String(copying: try UTF8Span(validating: bytes.span.extracting(range)))
        } catch {
            throw .notUnicode
        }
    }

    /// The slower way for strings that hold a backslash: gathers the bytes that are meant, then checks them as one.
    private mutating func stringWithEscapes(from start: Int) throws(JSONParsingError) -> String {
        var meant = Array(bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: meant, as: UTF8.self) else { throw .notUnicode }
                return text
            case UInt8(ascii: "\\"):
                try appendEscaped(to: &meant)
            case ..<0x20:
                throw .malformed(at: position - 1)
            default:
                meant.append(byte)
            }
        }
        throw .malformed(at: position)
    }

    private mutating func appendEscaped(to meant: inout [UInt8]) throws(JSONParsingError) {
        guard let letter = peek() else { throw .malformed(at: position) }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): meant.append(letter)
        case UInt8(ascii: "b"): meant.append(0x08)
        case UInt8(ascii: "f"): meant.append(0x0C)
        case UInt8(ascii: "n"): meant.append(0x0A)
        case UInt8(ascii: "r"): meant.append(0x0D)
        case UInt8(ascii: "t"): meant.append(0x09)
        case UInt8(ascii: "u"): meant.append(contentsOf: Array(String(try escapedScalar()).utf8))
        default: throw .malformed(at: position - 1)
        }
    }

    /// Reads the digits after `\u`, and the second half where the first is a high surrogate.
    private mutating func escapedScalar() throws(JSONParsingError) -> Character {
        let first = try fourHexDigits()
        if let scalar = Unicode.Scalar(first) { return Character(scalar) }
        guard (0xD800..<0xDC00).contains(first), position + 1 < bytes.count,
            bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
        else { throw .notUnicode }
        position += 2
        let second = try fourHexDigits()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        else { throw .notUnicode }
        return Character(scalar)
    }

    private mutating func fourHexDigits() throws(JSONParsingError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = peek().flatMap(Hexadecimal.value) else { throw .malformed(at: position) }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}
