import HTTPCore
import NIOCore

/// The head that the client gets, from the head that the backend sent.
enum ClientAnswer {
    /// How the body goes on to the client, who may not speak the version that the backend's framing needs.
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

    /// Room for what is added to a head besides fields that are given.
    private static let roomForOurs = 256

    struct Connection {
        var minorVersion: Int
        var stays: Bool
    }

    /// - Parameters:
    ///   - fields: Of ours.
    ///   - shape: What the tenant has done to the fields.
    static func write(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        _ delivery: Delivery,
        _ connection: Connection,
        date: [UInt8],
        fields: [HeaderField],
        shape: AnswerShape? = nil,
        to out: inout ByteBuffer
    ) {
        out.writeHead(about: head.length + fields.lineLength + roomForOurs) { out in
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
        shape: AnswerShape?,
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

    /// An interim answer (RFC 9110 section 15.2).
    static func writeInterim(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        shape: AnswerShape? = nil,
        to out: inout ByteBuffer
    ) {
        out.writeHead(about: head.length + roomForOurs) { out in
            writeStatusAndFields(head, bytes, added: [], shape, to: &out)
            out.writeStaticString("\r\n")
        }
    }

    /// A 101 that grants a WebSocket.
    static func writeSwitching(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        fields: [HeaderField],
        shape: AnswerShape? = nil,
        to out: inout ByteBuffer
    ) {
        out.writeHead(about: head.length + fields.lineLength + roomForOurs) { out in
            writeStatusAndFields(head, bytes, added: fields, shape, to: &out)
            writeOurs(fields, head, bytes, shape, to: &out)
            out.writeStaticString("Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        }
    }

    private static func writeOurs(
        _ fields: [HeaderField],
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        _ shape: AnswerShape?,
        to out: inout HeadWriter
    ) {
        for field in fields { out.writeField(field) }
        guard let shape else { return }
        for field in shape.fields(head, bytes, isUnkept: !fields.isEmpty) { out.writeField(field) }
    }

    /// - Parameter added: Those that follow, to which some of the backend's fields give way.
    private static func writeStatusAndFields(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        added: [HeaderField],
        _ shape: AnswerShape?,
        to out: inout HeadWriter
    ) {
        out.writeStaticString("HTTP/1.1 ")
        out.writeDecimal(head.status)
        out.writeStaticString(" ")
        out.writeBytes(bytes.extracting(head.reason).bytes)
        out.writeStaticString("\r\n")
        var kept = KeptLines()
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
