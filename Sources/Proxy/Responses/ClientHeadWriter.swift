import HTTPCore
import NIOCore

/// Writes the head for the client, from the head that the backend sent.
enum ClientHeadWriter {
    /// How the body is delimited for the client, whose version may lack the backend's framing.
    struct Delivery: Equatable {
        var isChunked = false
        var isCloseDelimited = false

        init() {}

        init(_ framing: ResponseFraming, clientMinorVersion: Int) {
            guard framing == .chunked || framing == .untilClose else { return }
            isChunked = clientMinorVersion >= 1
            isCloseDelimited = clientMinorVersion == 0
        }
    }

    /// Bytes that are added to a head besides the given fields.
    private static let ownFieldsLength = 256

    struct Connection {
        var minorVersion: Int
        var stays: Bool
    }

    /// - Parameters:
    ///   - fields: The gateway's own.
    ///   - shape: Response header rules of the tenant.
    static func write(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        _ delivery: Delivery,
        _ connection: Connection,
        date: [UInt8],
        fields: [HeaderField],
        shape: AppliedHeaderRules? = nil,
        to out: inout ByteBuffer
    ) {
        out.writeHead(about: head.length + fields.lineLength + ownFieldsLength) { out in
            write(head, bytes, delivery, connection, date: date, fields: fields, shape: shape, to: &out)
        }
    }

    private static func write(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        _ delivery: Delivery,
        _ connection: Connection,
        date: [UInt8],
        fields: [HeaderField],
        shape: AppliedHeaderRules?,
        to out: inout HeadWriter
    ) {
        writeStatusAndFields(head, bytes, added: fields, shape, to: &out)
        if !head.hasDate {
            out.writeStaticString("Date: ")
            out.writeBytes(date)
            out.writeStaticString("\r\n")
        }
        if delivery.isChunked {
            out.writeStaticString("Transfer-Encoding: chunked\r\n")
        } else if let length = head.contentLength, !delivery.isCloseDelimited, head.status != 204 {
            out.writeStaticString("Content-Length: ")
            out.writeDecimal(length)
            out.writeStaticString("\r\n")
        }
        if !connection.stays {
            out.writeStaticString("Connection: close\r\n")
        } else if connection.minorVersion == 0 {
            out.writeStaticString("Connection: keep-alive\r\n")
        }
        writeOurs(fields, head, bytes, shape, to: &out)
        out.writeStaticString("\r\n")
    }

    /// An interim response (RFC 9110 section 15.2).
    static func writeInterim(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        shape: AppliedHeaderRules? = nil,
        to out: inout ByteBuffer
    ) {
        out.writeHead(about: head.length + ownFieldsLength) { out in
            writeStatusAndFields(head, bytes, added: [], shape, to: &out)
            out.writeStaticString("\r\n")
        }
    }

    /// A 101 that accepts a WebSocket.
    static func writeSwitching(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        fields: [HeaderField],
        shape: AppliedHeaderRules? = nil,
        to out: inout ByteBuffer
    ) {
        out.writeHead(about: head.length + fields.lineLength + ownFieldsLength) { out in
            writeStatusAndFields(head, bytes, added: fields, shape, to: &out)
            writeOurs(fields, head, bytes, shape, to: &out)
            out.writeStaticString("Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        }
    }

    private static func writeOurs(
        _ fields: [HeaderField],
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        _ shape: AppliedHeaderRules?,
        to out: inout HeadWriter
    ) {
        for field in fields { out.writeField(field) }
        guard let shape else { return }
        for field in shape.fields(head, bytes, isUnkept: !fields.isEmpty) { out.writeField(field) }
    }

    /// - Parameter added: Fields that follow; they replace some of the backend's.
    private static func writeStatusAndFields(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        added: [HeaderField],
        _ shape: AppliedHeaderRules?,
        to out: inout HeadWriter
    ) {
        out.writeStaticString("HTTP/1.1 ")
        out.writeDecimal(head.status)
        out.writeStaticString(" ")
        out.writeBytes(bytes.extracting(head.reason).bytes)
        out.writeStaticString("\r\n")
        var kept = ForwardedLines()
        let fields = head.fields
        for index in 0..<head.fieldCount {
            let field = fields[index]
            if field.known.endsHere && !field.isAlias { continue }
            if head.isNamedByConnection(field, bytes) { continue }
            if !added.isEmpty, DeliveryFields.replace(field, bytes, added) { continue }
            if let shape, shape.drops(field, bytes, isUnkept: !added.isEmpty) { continue }
            kept.keep(field, bytes, to: &out)
        }
        kept.finish(bytes, to: &out)
    }
}
