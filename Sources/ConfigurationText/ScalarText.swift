/// Reads the scalar forms of tenants.yaml: booleans, whole and decimal numbers, durations, sizes.
public enum ScalarText {
    package static func boolean(_ scalar: DocumentNode.Scalar) throws(Remedy) -> Bool {
        guard scalar.isTyped else { throw Remedy("leave the quotes out") }
        switch scalar.text {
        case "true": return true
        case "false": return false
        default: throw Remedy("write true or false")
        }
    }

    package static func integer(_ scalar: DocumentNode.Scalar) throws(Remedy) -> Int {
        guard scalar.isTyped else { throw Remedy("leave the quotes out") }
        return try wholeNumber(scalar.text[...])
    }

    package static func decimal(_ scalar: DocumentNode.Scalar) throws(Remedy) -> Double {
        guard scalar.isTyped else { throw Remedy("leave the quotes out") }
        let allowed = scalar.text.utf8.allSatisfy { $0 == UInt8(ascii: ".") || $0.isDigit }
        guard allowed, let value = Double(scalar.text) else { throw Remedy("write it like 0.5") }
        return value
    }

    /// `500ms`, `30s`, `5m`, `24h`, `7d`.
    public static func duration(_ text: String) throws(Remedy) -> Duration {
        let (digits, unit) = split(text)
        guard !digits.hasPrefix("-") else { throw Remedy("a duration cannot be negative") }
        guard !digits.isEmpty else { throw Remedy("write a number and a unit, like 30s") }
        let milliseconds: Int
        switch unit {
        case "ms": milliseconds = 1
        case "s": milliseconds = 1000
        case "m": milliseconds = 60_000
        case "h": milliseconds = 3_600_000
        case "d": milliseconds = 86_400_000
        case "": throw Remedy("add a unit: ms, s, m, h or d")
        case _ where unit.first?.isLetter == true && unit.allSatisfy(\.isLetter):
            throw Remedy("the units are ms, s, m, h and d: a minute is 1m, an hour 1h, a day 1d")
        default: throw Remedy("write one whole number and one unit: ms, s, m, h or d")
        }
        return .milliseconds(try product(wholeNumber(digits), milliseconds))
    }

    /// `64KiB`, `10MiB`, `1GiB`, `512B` or a number of bytes.
    package static func size(_ text: String) throws(Remedy) -> Int {
        let (digits, unit) = split(text)
        guard !digits.hasPrefix("-") else { throw Remedy("a size cannot be negative") }
        guard !digits.isEmpty else { throw Remedy("write a number and a unit, like 64KiB") }
        let bytes: Int
        switch unit {
        case "", "B": bytes = 1
        case "KiB": bytes = 1 << 10
        case "MiB": bytes = 1 << 20
        case "GiB": bytes = 1 << 30
        default: throw Remedy("the units are B, KiB, MiB and GiB")
        }
        return try product(wholeNumber(digits), bytes)
    }

    /// A number of bytes in the largest unit that it is a whole number of.
    package static func size(_ bytes: Int) -> String {
        let unit = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)].first { bytes >= $0.1 && bytes % $0.1 == 0 }
        return unit.map { "\(bytes / $0.1)\($0.0)" } ?? "\(bytes)"
    }

    /// Bytes a second: `1KiB/s`, `512B/s`; `0` for none.
    package static func rate(_ text: String) throws(Remedy) -> Int {
        if text == "0" { return 0 }
        guard text.hasSuffix("/s") else { throw Remedy("write a size a second, like 1KiB/s") }
        let amount = String(text.dropLast(2))
        guard !split(amount).unit.isEmpty else { throw Remedy("the units are B/s, KiB/s, MiB/s and GiB/s") }
        return try size(amount)
    }

    private static func split(_ text: String) -> (digits: Substring, unit: Substring) {
        let signless = text.hasPrefix("-") ? text.dropFirst() : text[...]
        let end = signless.firstIndex { !$0.isASCII || !$0.isWholeNumber } ?? text.endIndex
        return (text[..<end], text[end...])
    }

    private static func wholeNumber(_ text: Substring) throws(Remedy) -> Int {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else {
            throw Remedy("write a whole number in decimal digits")
        }
        guard let value = Int(text) else { throw Remedy("the number is too large") }
        return value
    }

    private static func product(_ count: Int, _ unit: Int) throws(Remedy) -> Int {
        let (value, overflow) = count.multipliedReportingOverflow(by: unit)
        guard !overflow else { throw Remedy("the number is too large") }
        return value
    }
}
