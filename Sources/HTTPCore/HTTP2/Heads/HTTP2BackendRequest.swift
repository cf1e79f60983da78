public import NIOCore

/// The request that a server gets over HTTP/2, from a head in the form of HTTP/1.1.
public enum HTTP2BackendRequest {
    /// Always says `te: trailers`: trailers are passed on, and servers of gRPC answer nobody else.
    public static func encode(
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        isTLS: Bool,
        with encoder: inout HPACKEncoder,
        to out: inout ByteBuffer
    ) {
        out.reserveCapacity(minimumWritableBytes: head.length)
        encodePseudo(head, bytes, isTLS, with: &encoder, to: &out)
        // Held once: reaching through the head would retain and release the array for each field.
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
        // Paths differ from request to request, and tokens have been seen in queries.
        encoder.encode(name: path.span, value: bytes.extracting(head.target), indexing: .without, to: &out)
    }

    private static let method = Array(":method".utf8)
    private static let authority = Array(":authority".utf8)
    private static let path = Array(":path".utf8)
    private static let te = Array("te".utf8)
    private static let trailers = Array("trailers".utf8)
}
