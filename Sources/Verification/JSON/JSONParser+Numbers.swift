extension JSONParser {
    /// The longest run of digits that a double holds exactly, and that is summed without the general conversion.
    private static let exactDigits = 15

    /// Reads a number by the grammar of RFC 8259 section 6: no leading zero, no plus, digits on both sides of a point.
    mutating func number() throws(JSONParsingError) -> JSONNumber {
        let start = position
        if peek() == UInt8(ascii: "-") { position += 1 }
        let firstDigit = position
        var whole: Int64 = 0
        while let digit = digitValue() {
            if position - firstDigit < Self.exactDigits { whole = whole * 10 + Int64(digit) }
            position += 1
        }
        let count = position - firstDigit
        guard count > 0, count == 1 || bytes[firstDigit] != UInt8(ascii: "0") else { throw .malformed(at: start) }
        let isFractional = try fractionAndExponent()
        let literal = String(decoding: bytes[start..<position], as: UTF8.self)
        if !isFractional, count <= Self.exactDigits {
            return JSONNumber(literal: literal, value: Double(firstDigit == start ? whole : -whole))
        }
        guard let value = Double(literal), value.isFinite else { throw .numberOutOfRange }
        return JSONNumber(literal: literal, value: value)
    }

    private mutating func fractionAndExponent() throws(JSONParsingError) -> Bool {
        var isFractional = false
        if peek() == UInt8(ascii: ".") {
            isFractional = true
            position += 1
            try digits()
        }
        if let letter = peek(), letter | 0x20 == UInt8(ascii: "e") {
            isFractional = true
            position += 1
            if let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        return isFractional
    }

    private mutating func digits() throws(JSONParsingError) {
        guard digitValue() != nil else { throw .malformed(at: position) }
        while digitValue() != nil { position += 1 }
    }

    private func digitValue() -> UInt8? {
        guard let byte = peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        return byte - UInt8(ascii: "0")
    }
}
