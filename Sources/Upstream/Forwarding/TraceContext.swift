/// W3C Trace Context, level 1.
enum TraceContext {
    private static let dash = UInt8(ascii: "-")

    /// Whether a `traceparent` value is valid: version 00 (section 3.2.2), or a later version that begins like it
    /// (section 4.3, "Versioning of traceparent"). Any other is replaced, together with `tracestate`.
    static func isValid(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Bool {
        guard value.count >= 55 else { return false }
        let start = value.lowerBound
        guard isHexadecimal(bytes, start..<(start + 2)), !bytes.isExactly("ff", start..<(start + 2)),
            bytes[start + 2] == dash, bytes[start + 35] == dash, bytes[start + 52] == dash
        else { return false }
        // A later version may have more fields, after one more dash.
        guard value.count == 55 || (!isCurrent(bytes, value) && bytes[start + 55] == dash) else { return false }
        return isIdentifier(bytes, (start + 3)..<(start + 35)) && isIdentifier(bytes, (start + 36)..<(start + 52))
            && isHexadecimal(bytes, (start + 53)..<(start + 55))
    }

    /// Whether a valid value is of version 00, and can be passed on as received: of a later version only the known part
    /// is passed on, as version 00.
    static func isCurrent(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Bool {
        bytes.isExactly("00", value.lowerBound..<(value.lowerBound + 2))
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
