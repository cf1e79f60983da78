import HTTPCore
import NIOCore

/// The answer that an HTTP/2 client gets, from the head that the backend, or the gateway, wrote in HTTP/1.1.
enum HTTP2Response {
    /// A final answer, with a `date` if it has none.
    ///
    /// - Parameters:
    ///   - date: The value for it.
    ///   - lines: Fields of ours, each with its CRLF.
    ///   - shape: What the tenant has done to the fields.
    static func encode(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        date: [UInt8],
        lines: [UInt8],
        shape: AnswerShape? = nil,
        with encoder: inout HPACKEncoder,
        to out: inout ByteBuffer
    ) {
        out.reserveCapacity(minimumWritableBytes: head.length)
        encoder.encode(status: head.status, to: &out)
        encodeFields(head, bytes, lines: lines, shape, with: &encoder, to: &out)
        if !head.hasDate { encodeDate(date, with: &encoder, to: &out) }
        if let length = head.contentLength, head.status != 204 { encoder.encode(contentLength: length, to: &out) }
        encodeOurs(head, bytes, lines, shape, with: &encoder, to: &out)
    }

    /// A response of the gateway's own.
    static func encode(
        _ response: GatewayResponse,
        date: [UInt8],
        with encoder: inout HPACKEncoder,
        to out: inout ByteBuffer
    ) {
        out.reserveCapacity(minimumWritableBytes: response.lines.count + 512)
        encoder.encode(status: response.status, to: &out)
        encodeDate(date, with: &encoder, to: &out)
        if let type = response.contentType {
            encoder.encode(name: contentTypeName.span, value: Array(type.utf8).span, indexing: .incremental, to: &out)
        }
        if response.forbidsStoring {
            encoder.encode(name: cacheControlName.span, value: noStore.span, indexing: .incremental, to: &out)
        }
        if response.hasLength { encoder.encode(contentLength: response.body.count, to: &out) }
        for field in response.fields {
            let name = field.name.description.utf8.map(\.asciiLowercased)
            encoder.encode(name: name.span, value: field.value.span, indexing: .incremental, to: &out)
        }
        // Never indexed: they may hold tokens.
        if !response.lines.isEmpty { encodeLines(response.lines, indexing: .never, with: &encoder, to: &out) }
    }

    /// An interim answer (RFC 9110 section 15.2); never 101, which HTTP/2 does not have.
    static func encodeInterim(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        shape: AnswerShape? = nil,
        with encoder: inout HPACKEncoder,
        to out: inout ByteBuffer
    ) {
        encoder.encode(status: head.status, to: &out)
        encodeFields(head, bytes, lines: [], shape, with: &encoder, to: &out)
    }

    /// The 200 that grants a WebSocket, from the backend's 101 (RFC 8441 section 5): without `sec-websocket-accept`, as
    /// there was no key.
    static func encodeSwitching(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        date: [UInt8],
        lines: [UInt8],
        shape: AnswerShape? = nil,
        with encoder: inout HPACKEncoder,
        to out: inout ByteBuffer
    ) {
        encoder.encode(status: 200, to: &out)
        encodeFields(head, bytes, lines: lines, shape, unless: "sec-websocket-accept", with: &encoder, to: &out)
        if !head.hasDate { encodeDate(date, with: &encoder, to: &out) }
        encodeOurs(head, bytes, lines, shape, with: &encoder, to: &out)
    }

    private static func encodeOurs(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        _ lines: [UInt8],
        _ shape: AnswerShape?,
        with encoder: inout HPACKEncoder,
        to out: inout ByteBuffer
    ) {
        // Never indexed: they hold tokens.
        if !lines.isEmpty { encodeLines(lines, indexing: .never, with: &encoder, to: &out) }
        guard let shape else { return }
        let shaped = shape.lines(head, bytes, isUnkept: !lines.isEmpty)
        encodeLines(shaped, indexing: .incremental, with: &encoder, to: &out)
    }

    private static func encodeLines(
        _ lines: [UInt8],
        indexing: HPACKEncoder.Indexing,
        with encoder: inout HPACKEncoder,
        to out: inout ByteBuffer
    ) {
        let bytes = lines.span
        var start = 0
        while let lineFeed = bytes.nextLineFeed(from: start) {
            if let field = try? FieldLine.parse(bytes, start: start, end: lineFeed - 1) {
                let name = lines[field.name].map(\.asciiLowercased)
                encoder.encode(name: name.span, value: bytes.extracting(field.value), indexing: indexing, to: &out)
            }
            start = lineFeed + 1
        }
    }

    private static func encodeFields(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        lines: [UInt8],
        _ shape: AnswerShape?,
        unless leftOut: StaticString? = nil,
        with encoder: inout HPACKEncoder,
        to out: inout ByteBuffer
    ) {
        // Held once: reaching through the head would retain and release the array for each field.
        let fields = head.fields
        for index in 0..<head.fieldCount {
            let field = fields[index]
            if field.known.endsHere && !field.isAlias || head.isNamedByConnection(field, bytes) { continue }
            if !lines.isEmpty, DeliveryFields.replace(field, bytes, lines) { continue }
            if let shape, shape.drops(field, bytes, isUnkept: !lines.isEmpty) { continue }
            if let leftOut, bytes.isCaseInsensitively(leftOut, field.name) { continue }
            encoder.encode(field, bytes, to: &out)
        }
    }

    private static func encodeDate(_ date: [UInt8], with encoder: inout HPACKEncoder, to out: inout ByteBuffer) {
        encoder.encode(name: dateName.span, value: date.span, indexing: .incremental, to: &out)
    }

    private static let dateName = Array("date".utf8)
    private static let contentTypeName = Array("content-type".utf8)
    private static let cacheControlName = Array("cache-control".utf8)
    private static let noStore = Array("no-store".utf8)
}
