package import HTTPCore
import NIOCore

extension HTTP2TrailerBlock {
    /// Appends the trailers that may be passed on.
    ///
    /// - Parameters:
    ///   - section: Lines that were parsed before, each with its CRLF.
    ///   - isDropped: Further fields to drop, besides those that are not allowed in trailers.
    package mutating func append(
        section: [UInt8],
        unless isDropped: (HeadField, Span<UInt8>) -> Bool = { _, _ in false }
    ) {
        var lines = ByteBuffer()
        Trailers.write(section, to: &lines, unless: isDropped)
        let bytes = lines.readableBytesUInt8Span
        var start = 0
        while let lineFeed = bytes.nextLineFeed(from: start) {
            if let field = try? FieldLine.parse(bytes, start: start, end: lineFeed - 1) {
                append(name: bytes.extracting(field.name), value: bytes.extracting(field.value))
            }
            start = lineFeed + 1
        }
    }
}
