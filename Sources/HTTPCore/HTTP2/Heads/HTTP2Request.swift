public import NIOCore

/// A client's request as an equivalent HTTP/1.1 head, for the parser and the phases of all requests. Rules specific to
/// HTTP/2 are checked only here.
public enum HTTP2Request {
    public struct Info: Equatable, Sendable {
        /// The expected bytes of content.
        public var contentLength: Int?
        /// Whether it asks for a WebSocket (RFC 8441); then the head is that of an upgrade without `sec-websocket-key`.
        var isExtendedConnect = false
    }

    /// The fields that are not copied unchanged.
    private struct Fields {
        var host: Range<Int>?
        var contentLength = HTTP2ContentLength()
        var cookies = 0
    }

    /// Bytes of a head besides its fields.
    private static let otherLinesLength = 256

    /// Appends the head to `out`: the request line, `host`, the fields in their order, then the framing of the body.
    /// CONNECT keeps its authority form, even with an unknown protocol, and is refused later.
    ///
    /// - Throws: ``HTTP2Malformed`` for what RFC 9113 section 8 calls malformed. Nothing has been written then.
    public static func write(
        _ list: borrowing HeaderList,
        endStream: Bool,
        to out: inout ByteBuffer
    ) throws(HTTP2Malformed) -> Info {
        guard !list.isTooLarge else { throw .headTooLarge }
        let pseudo = try HTTP2RequestPseudo(list)
        let fields = try read(list, pseudo)
        let length = fields.contentLength.value
        if endStream { try fields.contentLength.checkEmpty() }
        // RFC 9110 section 9.3.6.
        guard pseudo.kind == .ordinary || length == nil else { throw HTTP2Malformed("CONNECT has no content") }
        out.reserveCapacity(minimumWritableBytes: (list.fields.last?.line.upperBound ?? 0) + otherLinesLength)
        let bytes = list.bytes.span
        writeRequestLine(pseudo, bytes, to: &out)
        if let host = pseudo.authority ?? fields.host {
            out.writeStaticString("host: ")
            out.writeBytes(bytes.extracting(host).bytes)
            out.writeStaticString("\r\n")
        }
        writeFields(list, pseudo, fields, to: &out)
        switch pseudo.kind {
        case .webSocket: out.writeStaticString("connection: upgrade\r\nupgrade: websocket\r\n")
        case .ordinary where length == nil && !endStream: out.writeStaticString("transfer-encoding: chunked\r\n")
        case .ordinary, .connect: break
        }
        out.writeStaticString("\r\n")
        return Info(contentLength: length, isExtendedConnect: pseudo.kind == .webSocket)
    }

    /// The trailer lines of a request, each with its CRLF.
    public static func trailers(_ list: borrowing HeaderList) throws(HTTP2Malformed) -> [UInt8] {
        try HTTP2FieldRules.trailerSection(list)
    }

    // MARK: Reading

    private static func read(
        _ list: borrowing HeaderList,
        _ pseudo: HTTP2RequestPseudo
    ) throws(HTTP2Malformed) -> Fields {
        var found = Fields()
        let bytes = list.bytes.span
        let fields = list.fields
        for index in pseudo.count..<fields.count {
            let value = fields[index].value
            switch try HTTP2FieldRules.check(fields[index], bytes) {
            case .host:
                guard found.host == nil else { throw HTTP2Malformed("there are several host fields") }
                guard pseudo.authority.map({ bytes.isSame($0, value) }) ?? true else {
                    throw HTTP2Malformed("host and :authority differ")
                }
                found.host = value
            case .contentLength: try found.contentLength.note(bytes, value)
            case .cookie: found.cookies += 1
            case .te:
                guard bytes.isCaseInsensitively("trailers", value) else {
                    throw HTTP2Malformed("te says more than trailers")
                }
            // Left to the parser, or refused by the check.
            case .other, .transferEncoding, .connection, .authorization, .expect, .upgrade, .trailer, .keepAlive,
                .proxyConnection, .proxyAuthenticate, .proxyAuthorization, .http2Settings, .forwarded, .xForwarded,
                .xRealIP, .xRequestID, .traceparent, .tracestate, .date, .clientCertificateSubject:
                break
            }
        }
        return found
    }

    // MARK: Writing

    private static func writeRequestLine(_ pseudo: HTTP2RequestPseudo, _ bytes: Span<UInt8>, to out: inout ByteBuffer) {
        if pseudo.kind == .webSocket {
            out.writeStaticString("GET ")
        } else {
            out.writeBytes(bytes.extracting(pseudo.method).bytes)
            out.writeStaticString(" ")
        }
        let target = pseudo.kind == .connect ? pseudo.authority ?? 0..<0 : pseudo.path
        out.writeBytes(bytes.extracting(target).bytes)
        out.writeStaticString(" HTTP/1.1\r\n")
    }

    /// The list has its fields as lines already; neighbours are written as one piece.
    private static func writeFields(
        _ list: borrowing HeaderList,
        _ pseudo: HTTP2RequestPseudo,
        _ found: Fields,
        to out: inout ByteBuffer
    ) {
        let bytes = list.bytes.span
        let fields = list.fields
        guard pseudo.count < fields.count else { return }
        var start = fields[pseudo.count].line.lowerBound
        let end = fields[fields.count - 1].line.upperBound
        guard found.host != nil || found.cookies > 1 else {
            out.writeBytes(bytes.extracting(start..<end).bytes)
            return
        }
        for index in pseudo.count..<fields.count {
            let field = fields[index]
            let isCookie = found.cookies > 1 && bytes.isExactly("cookie", field.name)
            guard isCookie || bytes.isExactly("host", field.name) else { continue }
            out.writeBytes(bytes.extracting(start..<field.line.lowerBound).bytes)
            start = field.line.upperBound
        }
        out.writeBytes(bytes.extracting(start..<end).bytes)
        if found.cookies > 1 { writeCookies(list, from: pseudo.count, to: &out) }
    }

    /// RFC 9113 section 8.2.3: split cookie fields are joined before anything reads them.
    private static func writeCookies(_ list: borrowing HeaderList, from first: Int, to out: inout ByteBuffer) {
        let bytes = list.bytes.span
        var separator: StaticString = "cookie: "
        for index in first..<list.fields.count where bytes.isExactly("cookie", list.fields[index].name) {
            out.writeStaticString(separator)
            out.writeBytes(bytes.extracting(list.fields[index].value).bytes)
            separator = "; "
        }
        out.writeStaticString("\r\n")
    }
}
