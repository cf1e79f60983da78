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

    /// Room for what is added to a head besides lines that are given.
    private static let roomForOurs = 256

    struct Connection {
        var minorVersion: Int
        var stays: Bool
    }

    /// - Parameters:
    ///   - lines: Fields of ours, each with its CRLF.
    ///   - shape: What the tenant has done to the fields.
    static func write(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        _ delivery: Delivery,
        _ connection: Connection,
        date: [UInt8],
        lines: [UInt8],
        shape: AnswerShape? = nil,
        to out: inout ByteBuffer
    ) {
        out.writeHead(about: head.length + lines.count + roomForOurs) { out in
            write(head, bytes, delivery, connection, date: date, lines: lines, shape: shape, to: &out)
        }
    }

    private static func write(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        _ delivery: Delivery,
        _ connection: Connection,
        date: [UInt8],
        lines: [UInt8],
        shape: AnswerShape?,
        to out: inout HeadWriter
    ) {
        writeStatusAndFields(head, bytes, lines: lines, shape, to: &out)
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
        if !lines.isEmpty { out.writeBytes(lines) }
        if let shape { out.writeBytes(shape.lines(head, bytes, isUnkept: !lines.isEmpty)) }
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
            writeStatusAndFields(head, bytes, lines: [], shape, to: &out)
            out.writeStaticString("\r\n")
        }
    }

    /// A 101 that grants a WebSocket.
    static func writeSwitching(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        lines: [UInt8],
        shape: AnswerShape? = nil,
        to out: inout ByteBuffer
    ) {
        out.writeHead(about: head.length + lines.count + roomForOurs) { out in
            writeStatusAndFields(head, bytes, lines: lines, shape, to: &out)
            out.writeBytes(lines)
            if let shape { out.writeBytes(shape.lines(head, bytes, isUnkept: !lines.isEmpty)) }
            out.writeStaticString("Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        }
    }

    /// - Parameter lines: Those that follow, to which some of the backend's fields give way.
    private static func writeStatusAndFields(
        _ head: ResponseHead,
        _ bytes: Span<UInt8>,
        lines: [UInt8],
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
            if !lines.isEmpty, DeliveryFields.replace(field, bytes, lines) { continue }
            if let shape, shape.drops(field, bytes, isUnkept: !lines.isEmpty) { continue }
            kept.keep(field, bytes, to: &out)
        }
        kept.finish(bytes, to: &out)
    }
}
