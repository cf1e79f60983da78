import NIOCore

/// Takes lines and counted bytes off a ``Wire``, as strictly as RFC 9112 allows a recipient to be.
actor ByteReader {
    private let wire: Wire
    private var buffer = ByteBuffer()
    private var ended = false

    init(_ wire: Wire) {
        self.wire = wire
    }

    /// A line without its CRLF; nil when the peer ended before its first byte.
    ///
    /// - Throws: ``Malformed`` for a bare CR or LF or a NUL; ``Truncated`` for an end in the middle.
    func line() async throws -> [UInt8]? {
        while true {
            let bytes = buffer.readableBytesView
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(bytes[..<end])
                buffer.moveReaderIndex(forwardBy: line.count + 1)
                guard line.last == UInt8(ascii: "\r") else { throw Malformed("bare LF after \(line.text)") }
                let content = Array(line.dropLast())
                guard !content.contains(where: { $0 == UInt8(ascii: "\r") || $0 == 0 }) else {
                    throw Malformed("bare CR or NUL in \(content.text)")
                }
                return content
            }
            guard try await more() else {
                if buffer.readableBytes == 0 { return nil }
                throw Truncated(missing: 1)
            }
        }
    }

    /// - Throws: ``Truncated`` when the peer ends earlier.
    func exactly(_ count: Int) async throws -> [UInt8] {
        while buffer.readableBytes < count {
            guard try await more() else { throw Truncated(missing: count - buffer.readableBytes) }
        }
        return buffer.readBytes(length: count) ?? []
    }

    /// Whatever is there or comes next; nil at the end.
    func some() async throws -> [UInt8]? {
        if buffer.readableBytes == 0, try await !more() { return nil }
        return buffer.readBytes(length: buffer.readableBytes)
    }

    /// Everything up to the peer's end.
    func rest() async throws -> [UInt8] {
        while try await more() {}
        return buffer.readBytes(length: buffer.readableBytes) ?? []
    }

    private func more() async throws -> Bool {
        guard !ended else { return false }
        guard var arrived = try await wire.receive() else {
            ended = true
            return false
        }
        if buffer.readableBytes == 0 {
            buffer = arrived
        } else {
            buffer.discardReadBytes()
            buffer.writeBuffer(&arrived)
        }
        return true
    }
}

/// The message could be read in two ways, or in none.
struct Malformed: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The connection ended before the message did.
struct Truncated: Error {
    let missing: Int
}

extension [UInt8] {
    /// For messages and comparisons; bytes that are no UTF-8 show as U+FFFD.
    var text: String { String(decoding: self, as: UTF8.self) }
}
