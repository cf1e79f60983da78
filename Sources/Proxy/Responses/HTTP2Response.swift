import HTTPCore
import NIOCore

/// The header blocks for an HTTP/2 client, from the backend's HTTP/1.1 head or from a response of the gateway's own.
enum HTTP2Response {
    /// A final response, with a `date` if it has none.
    ///
    /// - Parameters:
    ///   - date: The value for it.
    ///   - fields: The gateway's own.
    ///   - shape: Response header rules of the tenant.
    static func encode(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        date: [UInt8],
        fields: [HeaderField],
        shape: AppliedHeaderRules? = nil,
        with encoder: inout HPACKEncoder,
        to out: inout ByteBuffer
    ) {
        out.reserveCapacity(minimumWritableBytes: head.length)
        encoder.encode(status: head.status, to: &out)
        encodeFields(head, bytes, added: fields, shape, with: &encoder, to: &out)
        if !head.hasDate { encodeDate(date, with: &encoder, to: &out) }
        if let length = head.contentLength, head.status != 204 { encoder.encode(contentLength: length, to: &out) }
        encodeOurs(fields, head, bytes, shape, with: &encoder, to: &out)
    }

    /// A response of the gateway's own.
    static func encode(
        _ response: GatewayResponse,
        date: [UInt8],
        with encoder: inout HPACKEncoder,
        to out: inout ByteBuffer
    ) {
        out.reserveCapacity(minimumWritableBytes: response.unindexedFields.lineLength + 512)
        encoder.encode(status: response.status, to: &out)
        encodeDate(date, with: &encoder, to: &out)
        if let type = response.contentType {
            encoder.encode(name: contentTypeName.span, value: Array(type.utf8).span, indexing: .incremental, to: &out)
        }
        if response.forbidsStoring {
            encoder.encode(name: cacheControlName.span, value: noStore.span, indexing: .incremental, to: &out)
        }
        if response.hasLength { encoder.encode(contentLength: response.body.count, to: &out) }
        for field in response.fields { encoder.encode(field, indexing: .incremental, to: &out) }
        for field in response.unindexedFields { encoder.encode(field, indexing: .never, to: &out) }
    }

    /// An interim response (RFC 9110 section 15.2); never 101, which HTTP/2 does not have.
    static func encodeInterim(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        shape: AppliedHeaderRules? = nil,
        with encoder: inout HPACKEncoder,
        to out: inout ByteBuffer
    ) {
        encoder.encode(status: head.status, to: &out)
        encodeFields(head, bytes, added: [], shape, with: &encoder, to: &out)
    }

    /// The 200 that accepts a WebSocket, from the backend's 101 (RFC 8441 section 5): without `sec-websocket-accept`,
    /// as there was no key.
    static func encodeSwitching(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        date: [UInt8],
        fields: [HeaderField],
        shape: AppliedHeaderRules? = nil,
        with encoder: inout HPACKEncoder,
        to out: inout ByteBuffer
    ) {
        encoder.encode(status: 200, to: &out)
        encodeFields(head, bytes, added: fields, shape, unless: "sec-websocket-accept", with: &encoder, to: &out)
        if !head.hasDate { encodeDate(date, with: &encoder, to: &out) }
        encodeOurs(fields, head, bytes, shape, with: &encoder, to: &out)
    }

    private static func encodeOurs(
        _ fields: [HeaderField],
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        _ shape: AppliedHeaderRules?,
        with encoder: inout HPACKEncoder,
        to out: inout ByteBuffer
    ) {
        // Never indexed: they hold tokens.
        for field in fields { encoder.encode(field, indexing: .never, to: &out) }
        guard let shape else { return }
        for field in shape.fields(head, bytes, isUnkept: !fields.isEmpty) {
            encoder.encode(field, indexing: .incremental, to: &out)
        }
    }

    private static func encodeFields(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        added: [HeaderField],
        _ shape: AppliedHeaderRules?,
        unless leftOut: StaticString? = nil,
        with encoder: inout HPACKEncoder,
        to out: inout ByteBuffer
    ) {
        // A local copy: reading through the head would retain and release the array for each field.
        let fields = head.fields
        for index in 0..<head.fieldCount {
            let field = fields[index]
            if field.known.endsHere && !field.isAlias || head.isNamedByConnection(field, bytes) { continue }
            if !added.isEmpty, DeliveryFields.replace(field, bytes, added) { continue }
            if let shape, shape.drops(field, bytes, isUnkept: !added.isEmpty) { continue }
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
