/// How the length of a body is known (RFC 9112 section 6.3).
enum Framing: Sendable, Equatable {
    case none
    case contentLength(Int)
    case chunked
    case untilClose
}

/// A body as it came over the wire.
struct MessageBody: Sendable {
    var bytes: [UInt8] = []
    /// Sizes of the chunks, the last (0) left out; empty unless chunked.
    var chunks: [Int] = []
    var trailers = FieldLines()

    var text: String { bytes.text }

    static func read(_ framing: Framing, from reader: ByteReader) async throws -> MessageBody {
        switch framing {
        case .none: MessageBody()
        case .contentLength(let length): MessageBody(bytes: try await reader.exactly(length))
        case .untilClose: MessageBody(bytes: try await reader.rest())
        case .chunked: try await chunked(from: reader)
        }
    }

    private static func chunked(from reader: ByteReader) async throws -> MessageBody {
        var body = MessageBody()
        while true {
            guard let line = try await reader.line() else { throw Truncated(missing: 1) }
            let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
            guard let size = Int(Array(digits).text, radix: 16), digits.first != UInt8(ascii: "+"), size >= 0 else {
                throw Malformed("no chunk size: \(line.text)")
            }
            if size == 0 {
                body.trailers = try await FieldLines.read(from: reader)
                return body
            }
            body.bytes += try await reader.exactly(size)
            body.chunks.append(size)
            guard try await reader.exactly(2) == Array("\r\n".utf8) else { throw Malformed("no CRLF after a chunk") }
        }
    }
}

extension FieldLines {
    /// The framing these fields announce.
    ///
    /// - Throws: ``Malformed`` where two recipients could disagree.
    func framing(otherwise: Framing) throws -> Framing {
        let lengths = self["Content-Length"]
        let codings = self["Transfer-Encoding"]
        guard lengths.isEmpty || codings.isEmpty else { throw Malformed("Content-Length and Transfer-Encoding") }
        if !codings.isEmpty {
            guard codings.map({ $0.lowercased() }) == ["chunked"] else { throw Malformed("coding \(codings)") }
            return .chunked
        }
        guard let length = lengths.first else { return otherwise }
        guard lengths.count == 1, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let bytes = Int(length) else {
            throw Malformed("Content-Length \(lengths)")
        }
        return .contentLength(bytes)
    }
}
