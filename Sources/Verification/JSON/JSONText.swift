/// Text inside a JSON string (RFC 8259 section 7), for log lines and problem bodies.
public enum JSONText {
    public static func escaped(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        escape(text, into: &bytes)
        return bytes
    }

    public static func escape(_ text: String, into bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { escape($0, into: &bytes) }
    }

    /// Bytes that are visible ASCII, as in a method or a path.
    public static func escape(_ text: Span<UInt8>, into bytes: inout [UInt8]) {
        text.withUnsafeBufferPointer { escape($0, into: &bytes) }
    }

    /// Most texts have nothing to escape, and are appended as a whole.
    private static func escape(_ text: UnsafeBufferPointer<UInt8>, into bytes: inout [UInt8]) {
        var rest = text
        while let index = rest.firstIndex(where: isEscaped) {
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: rest[..<index]))
            escape(rest[index], into: &bytes)
            rest = UnsafeBufferPointer(rebasing: rest[(index + 1)...])
        }
        bytes.append(contentsOf: rest)
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7f || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
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
