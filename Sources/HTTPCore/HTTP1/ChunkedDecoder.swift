/// Decodes the chunked coding of a body (RFC 9112 section 7.1), byte-exact and in any pieces.
///
/// Chunk extensions are skipped and dropped: no recipient needs them, and they have been used for smuggling past
/// lenient parsers. Trailer fields are kept for forwarding.
public struct ChunkedDecoder: Sendable {
    public enum Event: Equatable, Sendable {
        /// All bytes are used up; more are needed.
        case needMore
        /// Body bytes, as a range of the given bytes.
        case data(Range<Int>)
        /// The body is complete; ``trailerSection`` holds its trailer lines.
        case end
        case violation(HTTPViolation)
    }

    private enum State: Equatable {
        case sizeStart
        case size
        /// White space after the size: only extensions may follow.
        case sizeWhiteSpace
        case extensions
        case extensionsInQuotes
        case extensionsAfterBackslash
        case sizeLineFeed
        case data
        case dataCarriageReturn
        case dataLineFeed
        case trailerLine
        case trailerLineFeed
        case done
    }

    /// Extension bytes allowed in a body in addition to one per data byte, and the limit of the trailer section: more
    /// is an attack.
    private static let longestExtensions = 262_144
    private static let longestTrailers = 16384

    private var state = State.sizeStart
    private var remaining = 0
    private var sizeDigits = 0
    private var extensionBytes = 0
    private var dataBytes = 0
    private var trailerLineStart = 0
    /// The trailer lines as received, each with its CRLF.
    public private(set) var trailerSection: [UInt8] = []

    /// Continues at `position`, which is moved past the bytes used.
    public mutating func next(_ bytes: Span<UInt8>, from position: inout Int) -> Event {
        while position < bytes.count {
            if state == .data {
                return takeData(bytes, &position)
            }
            let byte = bytes[position]
            position += 1
            if let violation = step(byte) { return .violation(violation) }
            if state == .done { return .end }
        }
        return .needMore
    }

    private mutating func takeData(_ bytes: Span<UInt8>, _ position: inout Int) -> Event {
        let taken = min(remaining, bytes.count - position)
        let range = position..<(position + taken)
        position += taken
        remaining -= taken
        dataBytes += taken
        if remaining == 0 { state = .dataCarriageReturn }
        return .data(range)
    }

    /// One byte of anything but data; returns the violation, if it is one.
    private mutating func step(_ byte: UInt8) -> HTTPViolation? {
        switch state {
        case .sizeStart, .size: stepSize(byte)
        case .sizeWhiteSpace: stepSizeWhiteSpace(byte)
        case .extensions, .extensionsInQuotes, .extensionsAfterBackslash: stepExtensions(byte)
        case .sizeLineFeed: expect(byte, 0x0a, then: remaining == 0 ? .trailerLine : .data)
        case .dataCarriageReturn: expect(byte, 0x0d, then: .dataLineFeed)
        case .dataLineFeed: expect(byte, 0x0a, then: .sizeStart)
        case .trailerLine, .trailerLineFeed: stepTrailer(byte)
        case .data, .done: nil
        }
    }

    private mutating func expect(_ byte: UInt8, _ wanted: UInt8, then next: State) -> HTTPViolation? {
        guard byte == wanted else { return .badRequest("a chunk does not end in CRLF") }
        state = next
        if next == .sizeStart { sizeDigits = 0 }
        return nil
    }

    private mutating func stepSize(_ byte: UInt8) -> HTTPViolation? {
        if let digit = byte.hexValue {
            guard remaining < 1 << 56 else { return .badRequest("a chunk size is too large") }
            // Leading zeros are valid, endless ones are not.
            guard sizeDigits < 64 else { return .badRequest("a chunk size is too long") }
            remaining = remaining << 4 | Int(digit)
            sizeDigits += 1
            state = .size
            return nil
        }
        guard state == .size else { return .badRequest("a chunk does not begin with its size") }
        switch byte {
        case 0x0d: state = .sizeLineFeed
        case UInt8(ascii: ";"): state = .extensions
        case 0x20, 0x09: return stepSizeWhiteSpace(byte)
        default: return .badRequest("a chunk size is not hexadecimal")
        }
        return nil
    }

    /// `BWS` before the first `;` (RFC 9112 section 7.1.1). It counts as part of the extensions.
    private mutating func stepSizeWhiteSpace(_ byte: UInt8) -> HTTPViolation? {
        if byte == UInt8(ascii: ";") {
            state = .extensions
            return nil
        }
        guard byte.isOptionalWhiteSpace else {
            return .badRequest("a chunk size is followed by white space without an extension")
        }
        state = .sizeWhiteSpace
        return countExtensionByte()
    }

    private mutating func countExtensionByte() -> HTTPViolation? {
        extensionBytes += 1
        guard extensionBytes - dataBytes <= Self.longestExtensions else {
            return .badRequest("the chunk extensions are too long")
        }
        return nil
    }

    private mutating func stepExtensions(_ byte: UInt8) -> HTTPViolation? {
        if let violation = countExtensionByte() { return violation }
        if byte == 0x0d, state == .extensions {
            state = .sizeLineFeed
            return nil
        }
        guard byte >= 0x20 && byte != 0x7f || byte == 0x09 else {
            return .badRequest("a chunk extension has a control character")
        }
        switch state {
        case .extensionsAfterBackslash: state = .extensionsInQuotes
        case .extensionsInQuotes:
            if byte == UInt8(ascii: "\\") { state = .extensionsAfterBackslash }
            if byte == UInt8(ascii: "\"") { state = .extensions }
        case .extensions:
            if byte == UInt8(ascii: "\"") { state = .extensionsInQuotes }
        case .sizeStart, .size, .sizeWhiteSpace, .sizeLineFeed, .data, .dataCarriageReturn, .dataLineFeed, .trailerLine,
            .trailerLineFeed, .done:
            break
        }
        return nil
    }

    private mutating func stepTrailer(_ byte: UInt8) -> HTTPViolation? {
        guard trailerSection.count < Self.longestTrailers else {
            return HTTPViolation(status: 431, reason: "the trailer section is larger than allowed")
        }
        if state == .trailerLineFeed {
            guard byte == 0x0a else { return .badRequest("a trailer line has a bare CR") }
            // An empty line ends the body.
            if trailerSection.count == trailerLineStart + 1 {
                trailerSection.removeLast()
                state = .done
                return nil
            }
            trailerSection.append(byte)
            state = .trailerLine
            return endTrailerLine()
        }
        guard byte != 0x0a else { return .badRequest("a trailer line ends in a bare LF") }
        trailerSection.append(byte)
        if byte == 0x0d { state = .trailerLineFeed }
        return nil
    }

    private mutating func endTrailerLine() -> HTTPViolation? {
        let start = trailerLineStart
        trailerLineStart = trailerSection.count
        do throws(HTTPViolation) {
            _ = try FieldLine.parse(trailerSection.span, start: start, end: trailerSection.count - 2)
            return nil
        } catch {
            return error
        }
    }
}
