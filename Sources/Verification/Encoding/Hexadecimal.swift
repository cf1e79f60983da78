/// Hexadecimal text (RFC 4648 section 8), in lower case where nothing else is said.
public enum Hexadecimal {
    /// Two digits a byte.
    public static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The sixteen digits of a word.
    public static func text(_ word: UInt64) -> String {
        withUnsafeBytes(of: word.bigEndian) { text($0) }
    }

    /// Reads what ``text(_:)-(Sequence<UInt8>)`` gives.
    ///
    /// - Returns: Nil for an odd number of digits, upper case, and everything else that it never gives.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let first = rest.next() {
            guard let second = rest.next(), let high = value(of: first), let low = value(of: second),
                digit(high) == first, digit(low) == second
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The digit of a value below sixteen.
    public static func digit(_ value: UInt8, isUpperCase: Bool = false) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: isUpperCase ? "A" : "a") + value - 10
    }

    /// The value of a digit in either case; nil for another byte.
    public static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
