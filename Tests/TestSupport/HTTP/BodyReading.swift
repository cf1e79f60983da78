package import HTTPCore

/// What a body decoder made of bytes that came in pieces.
package struct BodyReading: Equatable {
    package enum End: Equatable {
        case complete
        case wantsMore
        case violation(HTTPViolation)
    }

    package var body: [UInt8] = []
    package var trailers: [UInt8] = []
    package var end = End.wantsMore
    /// Bytes used up, over all pieces.
    package var used = 0

    package init(body: [UInt8] = [], trailers: [UInt8] = [], end: End = .wantsMore, used: Int = 0) {
        self.body = body
        self.trailers = trailers
        self.end = end
        self.used = used
    }

    package static func read(_ pieces: [[UInt8]], _ framing: RequestFraming = .chunked) -> BodyReading {
        read(pieces, BodyDecoder(framing))
    }

    package static func read(_ pieces: [[UInt8]], _ decoder: BodyDecoder) -> BodyReading {
        var decoder = decoder
        var reading = BodyReading()
        for piece in pieces {
            var position = 0
            pieceLoop: while true {
                switch decoder.next(piece.span, from: &position) {
                case .data(let range): reading.body += piece[range]
                case .needMore: break pieceLoop
                case .end:
                    reading.end = .complete
                    reading.trailers = decoder.trailerSection
                case .violation(let violation): reading.end = .violation(violation)
                }
                if reading.end != .wantsMore {
                    reading.used += position
                    return reading
                }
            }
            reading.used += position
        }
        return reading
    }

    package static func read(_ text: String, _ framing: RequestFraming = .chunked) -> BodyReading {
        read([Array(text.utf8)], framing)
    }

    package static func byteByByte(_ bytes: [UInt8], _ framing: RequestFraming = .chunked) -> BodyReading {
        read(bytes.map { [$0] }, framing)
    }
}
