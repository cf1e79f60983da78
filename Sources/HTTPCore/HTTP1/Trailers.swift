public import NIOCore

/// Trailer sections that may be passed on (RFC 9110 section 6.5.1).
public enum Trailers {
    /// Writes the trailer lines that have no special meaning: fields that frame, route or authenticate, or that only
    /// the gateway may set, are dropped.
    ///
    /// - Parameters:
    ///   - section: Lines that were parsed before, each with its CRLF.
    ///   - isRefused: Further fields to drop.
    public static func write(
        _ section: [UInt8],
        to out: inout ByteBuffer,
        unless isRefused: (HeadField, Span<UInt8>) -> Bool
    ) {
        var start = 0
        while let lineFeed = section.span.nextLineFeed(from: start) {
            let line = start..<(lineFeed + 1)
            start = lineFeed + 1
            guard let field = try? FieldLine.parse(section.span, start: line.lowerBound, end: lineFeed - 1),
                field.known == .other, !isRefused(field, section.span), !isForbidden(field, section.span)
            else { continue }
            out.writeBytes(section[line])
        }
    }

    /// Fields that a recipient acts on before it sees the trailers.
    private static func isForbidden(_ field: HeadField, _ bytes: Span<UInt8>) -> Bool {
        let names: [StaticString] = [
            "set-cookie", "www-authenticate", "content-encoding", "content-type", "content-range", "location",
            "cache-control", "age", "retry-after", "expires", "max-forwards", "range", "if-match", "if-none-match",
            "vary",
        ]
        return names.contains { bytes.isFieldName(field.name, $0) }
    }
}
