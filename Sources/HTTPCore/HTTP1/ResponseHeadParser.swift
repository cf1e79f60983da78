/// Reads a response head as strictly as a request's: a backend that sends garbage, or was made to respond twice, must
/// not reach a client as two responses.
public struct ResponseHeadParser: Sendable {
    public enum Outcome: Equatable, Sendable {
        case incomplete
        case complete
        /// Why the response cannot be passed on.
        case garbled(HTTPViolation)
    }

    /// Heads of responses may be larger than those of requests: cookies and policies add up.
    public static let maximumBytes = 128 << 10
    public static let maximumFields = 512

    public init() {}

    public func parse(_ bytes: Span<UInt8>, into head: ResponseHead) -> Outcome {
        do throws(HTTPViolation) {
            return try parseLines(bytes, into: head) ? .complete : .incomplete
        } catch {
            return .garbled(error)
        }
    }

    private func parseLines(_ bytes: Span<UInt8>, into head: ResponseHead) throws(HTTPViolation) -> Bool {
        head.reset()
        var lineStart = 0
        while let lineFeed = bytes.nextLineFeed(from: lineStart) {
            guard lineFeed < Self.maximumBytes else { throw .headTooLarge }
            guard lineFeed > lineStart, bytes[lineFeed - 1] == 0x0d else {
                throw .badRequest("a line ends in a bare LF")
            }
            let lineEnd = lineFeed - 1
            if lineStart == 0 {
                try parseStatusLine(bytes, end: lineEnd, into: head)
            } else if lineEnd == lineStart {
                head.length = lineFeed + 1
                try head.checkFraming()
                return true
            } else {
                guard head.fieldCount < Self.maximumFields else { throw .tooManyFields }
                let field = try FieldLine.parse(bytes, start: lineStart, end: lineEnd)
                if field.known != .other, !field.isAlias { try head.noteFraming(field, bytes) }
                if field.known == .date { head.hasDate = true }
                head.append(field)
            }
            lineStart = lineFeed + 1
        }
        guard bytes.count < Self.maximumBytes else { throw .headTooLarge }
        return false
    }

    /// `HTTP/1.x SP 3DIGIT SP [reason]` (RFC 9112 section 4); the space before an absent reason may be missing.
    private func parseStatusLine(
        _ bytes: Span<UInt8>,
        end: Int,
        into head: ResponseHead
    ) throws(HTTPViolation) {
        let version: StaticString = "HTTP/1."
        guard end >= 12 else { throw .badRequest("the status line is malformed") }
        for offset in 0..<7 where bytes[offset] != version.utf8Start[offset] {
            throw .badRequest("the status line does not begin with HTTP/1")
        }
        guard bytes[7].isDigit, bytes[8] == UInt8(ascii: " "), let status = bytes.decimal(9..<12), status >= 100,
            end == 12 || bytes[12] == UInt8(ascii: " ")
        else { throw .badRequest("the status line is malformed") }
        let reason = min(13, end)..<end
        guard !bytes.hasControlByte(in: reason) else {
            throw .badRequest("the reason phrase has a control character")
        }
        head.minorVersion = bytes[7] == UInt8(ascii: "0") ? 0 : 1
        head.status = status
        head.reason = reason
    }
}
