public import NIOCore

/// An HTTP/2 server's response as an equivalent HTTP/1.1 head.
public enum HTTP2BackendResponse {
    /// Bytes of a head besides its fields.
    private static let otherLinesLength = 128

    /// Appends the head to `out`: the status line, the fields as received, then the framing of the body, which
    /// distinguishes an ended body from one of unknown length.
    ///
    /// - Parameter answeringHead: Whether the request was HEAD, so that there is no body, whatever content-length is.
    /// - Throws: ``HTTP2Malformed`` for what RFC 9113 section 8 calls malformed, including 101. Nothing has been
    ///   written then.
    public static func write(
        _ list: borrowing HeaderList,
        endStream: Bool,
        answeringHead: Bool,
        to out: inout ByteBuffer
    ) throws(HTTP2Malformed) {
        guard !list.isTooLarge else { throw .headTooLarge }
        let status = try readStatus(list)
        let length = try readFields(list)
        let number = list.bytes.span.decimal(status) ?? 0
        let hasBody = !answeringHead && number >= 200 && number != 204 && number != 304
        if hasBody, endStream { try length.checkEmpty() }
        out.reserveCapacity(minimumWritableBytes: (list.fields.last?.line.upperBound ?? 0) + otherLinesLength)
        let bytes = list.bytes.span
        out.writeStaticString("HTTP/1.1 ")
        out.writeBytes(bytes.extracting(status).bytes)
        out.writeStaticString(" \r\n")
        if list.fields.count > 1, let last = list.fields.last {
            let lines = list.fields[1].line.lowerBound..<last.line.upperBound
            out.writeBytes(bytes.extracting(lines).bytes)
        }
        if hasBody, length.value == nil {
            out.writeStaticString(endStream ? "content-length: 0\r\n" : "transfer-encoding: chunked\r\n")
        }
        out.writeStaticString("\r\n")
    }

    /// The trailer lines of a response, each with its CRLF.
    public static func trailers(_ list: borrowing HeaderList) throws(HTTP2Malformed) -> [UInt8] {
        try HTTP2FieldRules.trailerSection(list)
    }

    /// RFC 9113 section 8.3.2; section 8.6 leaves 101 out of HTTP/2.
    private static func readStatus(_ list: borrowing HeaderList) throws(HTTP2Malformed) -> Range<Int> {
        let bytes = list.bytes.span
        guard let field = list.fields.first, bytes.isExactly(":status", field.name), field.value.count == 3,
            let status = bytes.decimal(field.value), status >= 100
        else { throw HTTP2Malformed("there is no :status of three digits") }
        guard status != 101 else { throw HTTP2Malformed("the status 101 is not for HTTP/2") }
        return field.value
    }

    private static func readFields(_ list: borrowing HeaderList) throws(HTTP2Malformed) -> HTTP2ContentLength {
        var length = HTTP2ContentLength()
        let bytes = list.bytes.span
        let fields = list.fields
        for index in 1..<fields.count where try HTTP2FieldRules.check(fields[index], bytes) == .contentLength {
            try length.note(bytes, fields[index].value)
        }
        return length
    }
}
