/// Finds a message's body after its head, for any framing.
public struct BodyDecoder: Sendable {
    public typealias Event = ChunkedDecoder.Event

    @usableFromInline
    enum Kind: Sendable {
        case length(remaining: Int)
        case chunked(ChunkedDecoder)
        case untilClose
    }

    @usableFromInline var kind: Kind

    public init(_ framing: RequestFraming) {
        switch framing {
        case .none: kind = .length(remaining: 0)
        case .length(let length): kind = .length(remaining: length)
        case .chunked: kind = .chunked(ChunkedDecoder())
        }
    }

    public init(_ framing: ResponseFraming) {
        switch framing {
        case .none: kind = .length(remaining: 0)
        case .length(let length): kind = .length(remaining: length)
        case .chunked: kind = .chunked(ChunkedDecoder())
        case .untilClose: kind = .untilClose
        }
    }

    /// Whether the end of the connection is a proper end of this body.
    @inlinable
    public var mayEndByClose: Bool {
        if case .untilClose = kind { return true }
        return false
    }

    /// The trailer lines of a chunked body that has ended, each with its CRLF.
    @inlinable
    public var trailerSection: [UInt8] {
        if case .chunked(let decoder) = kind { return decoder.trailerSection }
        return []
    }

    /// Continues at `position`, which is moved past the bytes used. `.end` may come without any byte left.
    public mutating func next(_ bytes: Span<UInt8>, from position: inout Int) -> Event {
        switch kind {
        case .length(let remaining):
            if remaining == 0 { return .end }
            let taken = min(remaining, bytes.count - position)
            if taken == 0 { return .needMore }
            kind = .length(remaining: remaining - taken)
            let range = position..<(position + taken)
            position += taken
            return .data(range)
        case .chunked(var decoder):
            // Moved out and back, so that the decoder's trailer bytes are not copied on write.
            kind = .untilClose
            let event = decoder.next(bytes, from: &position)
            kind = .chunked(decoder)
            return event
        case .untilClose:
            if position == bytes.count { return .needMore }
            let range = position..<bytes.count
            position = bytes.count
            return .data(range)
        }
    }
}
