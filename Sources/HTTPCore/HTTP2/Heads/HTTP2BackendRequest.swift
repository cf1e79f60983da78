public import NIOCore

/// The request for an HTTP/2 server, from an HTTP/1.1 head.
public enum HTTP2BackendRequest {
    /// Always sends `te: trailers`: trailers are passed on, and gRPC servers require it.
    public static func encode(
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        isTLS: Bool,
        with encoder: inout HPACKEncoder,
        to out: inout ByteBuffer
    ) {
        out.reserveCapacity(minimumWritableBytes: head.length)
        encodePseudo(head, bytes, isTLS, with: &encoder, to: &out)
        // A local copy: reading through the head would retain and release the array for each field.
        let fields = head.fields
        for index in 0..<head.fieldCount where index != head.host {
            let field = fields[index]
            if field.known.endsHere && !field.isAlias || head.isNamedByConnection(field, bytes) { continue }
            encoder.encode(field, bytes, to: &out)
        }
        if let length = head.contentLength { encoder.encode(contentLength: length, to: &out) }
        encoder.encode(name: te.span, value: trailers.span, indexing: .incremental, to: &out)
    }

    private static func encodePseudo(
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ isTLS: Bool,
        with encoder: inout HPACKEncoder,
        to out: inout ByteBuffer
    ) {
        let isFrequent = bytes.isExactly("GET", head.method) || bytes.isExactly("POST", head.method)
        encoder.encode(
            name: method.span,
            value: bytes.extracting(head.method),
            indexing: isFrequent ? .without : .incremental,
            to: &out
        )
        // `:scheme`, which has both of its values in the static table.
        out.writeInteger(UInt8(isTLS ? 0x87 : 0x86))
        if let host = head.host {
            let value = bytes.extracting(head.fields[host].value)
            encoder.encode(name: authority.span, value: value, indexing: .incremental, to: &out)
        }
        // Paths differ from request to request, and queries may hold tokens.
        encoder.encode(name: path.span, value: bytes.extracting(head.target), indexing: .without, to: &out)
    }

    private static let method = Array(":method".utf8)
    private static let authority = Array(":authority".utf8)
    private static let path = Array(":path".utf8)
    private static let te = Array("te".utf8)
    private static let trailers = Array("trailers".utf8)
}
