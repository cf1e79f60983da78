/// Text inside a JSON string (RFC 8259 section 7), for log lines and problem bodies.
public enum JSONText {
    public static func escaped(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        escape(text, into: &bytes)
        return bytes
    }

    public static func escape(_ text: String, into bytes: inout [UInt8]) {
        for byte in text.utf8 { escape(byte, into: &bytes) }
    }

    /// Bytes that are visible ASCII, as in a method or a path.
    public static func escape(_ text: Span<UInt8>, into bytes: inout [UInt8]) {
        for index in 0..<text.count { escape(text[index], into: &bytes) }
    }

    private static func escape(_ byte: UInt8, into bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0..<0x20, 0x7f:
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(Hexadecimal.digit(byte >> 4))
            bytes.append(Hexadecimal.digit(byte & 15))
        default: bytes.append(byte)
        }
    }
}
