/// W3C Trace Context, level 1.
enum TraceContext {
    /// Whether a `traceparent` value is one of version 00 (section 3.2): anything else is replaced, `tracestate` with it.
    static func isValid(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Bool {
        guard value.count == 55 else { return false }
        let start = value.lowerBound
        guard bytes.isExactly("00-", start..<(start + 3)), bytes[start + 35] == UInt8(ascii: "-"),
            bytes[start + 52] == UInt8(ascii: "-")
        else { return false }
        return isIdentifier(bytes, (start + 3)..<(start + 35)) && isIdentifier(bytes, (start + 36)..<(start + 52))
            && isHexadecimal(bytes, (start + 53)..<(start + 55))
    }

    /// Lower-case hexadecimal and not all zeros.
    private static func isIdentifier(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        isHexadecimal(bytes, range) && range.contains { bytes[$0] != UInt8(ascii: "0") }
    }

    private static func isHexadecimal(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for position in range {
            let byte = bytes[position]
            guard byte.isDigit || (byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f")) else { return false }
        }
        return true
    }
}
