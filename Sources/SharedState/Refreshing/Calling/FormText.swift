/// Text in the `application/x-www-form-urlencoded` format (RFC 6749 appendix B).
public enum FormText: Sendable {
    /// `name=value` pairs, joined by `&`.
    public static func bytes(of fields: [(name: String, value: [UInt8])]) -> [UInt8] {
        Array(
            fields.map { encoded(Array($0.name.utf8)) + [UInt8(ascii: "=")] + encoded($0.value) }.joined(
                separator: "&".utf8
            )
        )
    }

    /// Letters, digits and `*-._` as they are, a space as `+`, all else as `%` and two hexadecimal digits.
    static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                text.append(byte)
            case UInt8(ascii: " "): text.append(UInt8(ascii: "+"))
            default: text += [UInt8(ascii: "%"), hexDigit(byte >> 4), hexDigit(byte & 0x0F)]
            }
        }
        return text
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
