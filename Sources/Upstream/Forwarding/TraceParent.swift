package import HTTPCore

/// Where a request stands in a trace that somebody else has begun (W3C Trace Context level 1, section 3.2).
package struct TraceParent: Equatable {
    /// The trace's identifier, 16 bytes.
    package let traceHigh: UInt64
    package let traceLow: UInt64
    /// The span of whoever sent the request.
    package let spanID: UInt64
    /// Whether whoever sent it may have recorded it.
    package let isSampled: Bool

    /// - Returns: Nil where there is no field, several, or none that is valid.
    package init?(_ head: RequestHead, _ bytes: Span<UInt8>) {
        guard let field = head.traceparent else { return nil }
        self.init(bytes, head.fields[field].value)
    }

    /// - Parameter value: Of a `traceparent` field.
    package init?(_ bytes: Span<UInt8>, _ value: Range<Int>) {
        guard TraceContext.isValid(bytes, value) else { return nil }
        func word(_ offset: Int) -> UInt64 {
            var word: UInt64 = 0
            for place in offset..<(offset + 16) {
                word = word << 4 | UInt64(bytes[value.lowerBound + place].hexValue ?? 0)
            }
            return word
        }
        traceHigh = word(3)
        traceLow = word(19)
        spanID = word(36)
        isSampled = (bytes[value.lowerBound + 54].hexValue ?? 0) & 1 == 1
    }
}
