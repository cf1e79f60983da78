/// Base64url without padding (RFC 7515 section 2, RFC 4648 section 5), strict in both directions.
///
/// One byte string has exactly one encoding: padding, white space, the plain base64 alphabet, a lone last character
/// and unused bits that are not zero are all refused, so that no token can be respelled.
public enum Base64URL {
    private static let invalid: UInt8 = 0xFF

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: invalid, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    /// The bytes that `text` encodes, or nil if it is not canonical.
    public static func decode(_ text: [UInt8]) -> [UInt8]? {
        decode(text.span, 0..<text.count)
    }

    /// The bytes that `text` encodes, or nil if it is not canonical.
    public static func decode(_ text: String) -> [UInt8]? {
        decode(Array(text.utf8))
    }

    static func decode(_ text: Span<UInt8>, _ range: Range<Int>) -> [UInt8]? {
        let remainder = range.count % 4
        guard remainder != 1 else { return nil }
        let values = values
        var seen: UInt8 = 0
        var unusedBits: UInt8 = 0
        let decoded = [UInt8](unsafeUninitializedCapacity: range.count / 4 * 3 + 2) { output, count in
            var index = range.lowerBound
            let wholeEnd = range.upperBound - remainder
            while index < wholeEnd {
                let first = values[Int(text[index])]
                let second = values[Int(text[index + 1])]
                let third = values[Int(text[index + 2])]
                let fourth = values[Int(text[index + 3])]
                seen |= first | second | third | fourth
                output[count] = first << 2 | second >> 4
                output[count + 1] = second << 4 | third >> 2
                output[count + 2] = third << 6 | fourth
                count += 3
                index += 4
            }
            guard remainder > 0 else { return }
            let first = values[Int(text[index])]
            let second = values[Int(text[index + 1])]
            seen |= first | second
            output[count] = first << 2 | second >> 4
            count += 1
            guard remainder == 3 else {
                unusedBits = second & 0x0F
                return
            }
            let third = values[Int(text[index + 2])]
            seen |= third
            output[count] = second << 4 | third >> 2
            count += 1
            unusedBits = third & 0x03
        }
        // A value has six bits; only the mark of an invalid character sets the top one.
        return seen & 0x80 == 0 && unusedBits == 0 ? decoded : nil
    }

    /// The one encoding of `bytes`.
    public static func encode(_ bytes: [UInt8]) -> String {
        let alphabet = alphabet
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count * 4 + 2) / 3)
        var pending: UInt32 = 0
        var bits = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                output.append(alphabet[Int(pending >> UInt32(bits)) & 0x3F])
            }
        }
        if bits > 0 { output.append(alphabet[Int(pending << UInt32(6 - bits)) & 0x3F]) }
        return String(decoding: output, as: UTF8.self)
    }
}
