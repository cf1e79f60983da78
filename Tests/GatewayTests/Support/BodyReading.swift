@testable import Gateway

/// What a body decoder made of bytes that came in pieces.
struct BodyReading: Equatable {
    enum End: Equatable {
        case complete
        case wantsMore
        case violation(HTTPViolation)
    }

    var body: [UInt8] = []
    var trailers: [UInt8] = []
    var end = End.wantsMore
    /// Bytes used up, over all pieces.
    var used = 0

    static func read(_ pieces: [[UInt8]], _ framing: RequestFraming = .chunked) -> BodyReading {
        read(pieces, BodyDecoder(framing))
    }

    static func read(_ pieces: [[UInt8]], _ decoder: BodyDecoder) -> BodyReading {
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

    static func read(_ text: String, _ framing: RequestFraming = .chunked) -> BodyReading {
        read([Array(text.utf8)], framing)
    }

    static func byteByByte(_ bytes: [UInt8], _ framing: RequestFraming = .chunked) -> BodyReading {
        read(bytes.map { [$0] }, framing)
    }
}
