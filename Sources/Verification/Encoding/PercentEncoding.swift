/// Percent-encoding (RFC 3986 section 2.1), also in the form that queries and forms have
/// (`application/x-www-form-urlencoded`).
public enum PercentEncoding {
    /// - Parameter isKept: Which bytes stand for themselves; of all others there is `%` and two upper-case digits.
    public static func encode(
        _ bytes: some Sequence<UInt8>,
        keeping isKept: (UInt8) -> Bool = isUnreserved
    ) -> [UInt8] {
        var text: [UInt8] = []
        for byte in bytes { append(byte, to: &text, keeping: isKept) }
        return text
    }

    /// Text in a query or a form: unreserved characters unchanged, so that it is the same in both.
    public static func encode(_ text: String) -> String { String(decoding: encode(text.utf8), as: UTF8.self) }

    static func append(_ byte: UInt8, to text: inout [UInt8], keeping isKept: (UInt8) -> Bool = isUnreserved) {
        if isKept(byte) {
            text.append(byte)
        } else {
            text.append(UInt8(ascii: "%"))
            text.append(Hexadecimal.digit(byte >> 4, isUpperCase: true))
            text.append(Hexadecimal.digit(byte & 15, isUpperCase: true))
        }
    }

    /// - Returns: Nil for a `%` without two hexadecimal digits.
    public static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        decode(text) { $0 }
    }

    /// Text of a query or a form, in which a `+` is a space.
    ///
    /// - Returns: Nil for a `%` without two hexadecimal digits, or invalid UTF-8.
    public static func decodeForm(_ text: some Sequence<UInt8>) -> String? {
        decode(text) { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
            .flatMap { String(validating: $0, as: UTF8.self) }
    }

    private static func decode(_ text: some Sequence<UInt8>, unescaped: (UInt8) -> UInt8) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.underestimatedCount)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(unescaped(byte))
                continue
            }
            guard let high = rest.next().flatMap(Hexadecimal.value), let low = rest.next().flatMap(Hexadecimal.value)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// RFC 3986 section 2.3.
    public static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
