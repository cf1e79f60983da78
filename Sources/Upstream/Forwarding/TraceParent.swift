package import HTTPCore

/// The parent of a request in a trace that the client began (W3C Trace Context level 1, section 3.2).
package struct TraceParent: Equatable {
    /// The trace's identifier, 16 bytes.
    package let traceHigh: UInt64
    package let traceLow: UInt64
    /// The span of the sender.
    package let spanID: UInt64
    /// Whether the sender may have recorded the trace.
    package let isSampled: Bool

    /// - Returns: Nil if there is no field, several, or no valid one.
    package init?(_ head: RequestHead, _ bytes: Span<UInt8>) {
        guard let field = head.traceparent else { return nil }
        self.init(bytes, head.fields[field].value)
    }

    /// - Parameter value: Of a `traceparent` field.
    package init?(_ bytes: Span<UInt8>, _ value: Range<Int>) {
        guard TraceContext.isValid(bytes, value) else { return nil }
        func digits(_ offset: Int) -> UInt64 {
            var number: UInt64 = 0
            for index in offset..<(offset + 16) {
                number = number << 4 | UInt64(bytes[value.lowerBound + index].hexValue ?? 0)
            }
            return number
        }
        traceHigh = digits(3)
        traceLow = digits(19)
        spanID = digits(36)
        isSampled = (bytes[value.lowerBound + 54].hexValue ?? 0) & 1 == 1
    }
}
