/// Reads a request head as strictly as RFC 9112 allows: what two parsers could read differently is refused, never
/// repaired, because differing views of a request make smuggling possible.
public struct RequestHeadParser: Sendable {
    public enum Outcome: Equatable, Sendable {
        case incomplete
        case complete
        case refused(HTTPViolation)
    }

    package static let longestTarget = 8192
    private static let longestMethod = 32

    public let maximumBytes: Int
    public let maximumFields: Int

    /// - Parameters:
    ///   - maximumBytes: Of a head, including its empty line.
    ///   - maximumFields: Fields of a head.
    public init(maximumBytes: Int, maximumFields: Int) {
        self.maximumBytes = maximumBytes
        self.maximumFields = maximumFields
    }

    /// Parses the head at the start of `bytes` into `head`, completely or not at all: the same bytes give the same
    /// result whether they came at once or one by one.
    public func parse(_ bytes: Span<UInt8>, into head: RequestHead) -> Outcome {
        do throws(HTTPViolation) {
            return try parseLines(bytes, into: head) ? .complete : .incomplete
        } catch {
            return .refused(error)
        }
    }

    private func parseLines(_ bytes: Span<UInt8>, into head: RequestHead) throws(HTTPViolation) -> Bool {
        head.reset()
        var lineStart = 0
        // Two empty lines before the request line are ignored; RFC 9112 section 2.2 asks for at least one.
        while lineStart < 4, bytes.count >= lineStart + 2, bytes[lineStart] == 0x0d, bytes[lineStart + 1] == 0x0a {
            lineStart += 2
        }
        var isRequestLine = true
        while let lineFeed = bytes.nextLineFeed(from: lineStart) {
            guard lineFeed < maximumBytes else { throw .headTooLarge }
            guard lineFeed > lineStart, bytes[lineFeed - 1] == 0x0d else {
                throw .badRequest("a line ends in a bare LF")
            }
            let lineEnd = lineFeed - 1
            if isRequestLine {
                try parseRequestLine(bytes, start: lineStart, end: lineEnd, into: head)
                isRequestLine = false
            } else if lineEnd == lineStart {
                head.length = lineFeed + 1
                try finish(head)
                return true
            } else {
                guard head.fieldCount < maximumFields else { throw .tooManyFields }
                let field = try FieldLine.parse(bytes, start: lineStart, end: lineEnd)
                if field.known != .other { try note(field, bytes, head) }
                head.append(field)
            }
            lineStart = lineFeed + 1
        }
        guard bytes.count < maximumBytes else { throw .headTooLarge }
        return false
    }

    // MARK: The request line (RFC 9112 section 3)

    private func parseRequestLine(
        _ bytes: Span<UInt8>,
        start: Int,
        end: Int,
        into head: RequestHead
    ) throws(HTTPViolation) {
        var position = start
        while position < end, bytes[position].isTokenByte { position += 1 }
        guard position > start, position < end, bytes[position] == UInt8(ascii: " ") else {
            throw .badRequest("the request line does not begin with a method and one space")
        }
        guard position - start <= Self.longestMethod else { throw .badRequest("the method is too long") }
        head.method = start..<position
        position += 1
        let targetStart = position
        while position < end, bytes[position] != UInt8(ascii: " ") {
            guard bytes[position].isTargetByte else {
                throw .badRequest("the request target has a byte that must be percent-encoded")
            }
            position += 1
        }
        guard position > targetStart, position < end else {
            throw .badRequest("the request line has no target or no version")
        }
        guard position - targetStart <= Self.longestTarget else { throw .targetTooLong }
        head.target = targetStart..<position
        try parseVersion(bytes, start: position + 1, end: end, into: head)
    }

    private func parseVersion(
        _ bytes: Span<UInt8>,
        start: Int,
        end: Int,
        into head: RequestHead
    ) throws(HTTPViolation) {
        let name: StaticString = "HTTP/"
        guard end - start == 8, bytes[start + 5].isDigit, bytes[start + 6] == UInt8(ascii: "."),
            bytes[start + 7].isDigit
        else { throw .badRequest("the request line does not end in an HTTP version") }
        for offset in 0..<5 where bytes[start + offset] != name.utf8Start[offset] {
            throw .badRequest("the request line does not end in an HTTP version")
        }
        guard bytes[start + 5] == UInt8(ascii: "1") else {
            throw HTTPViolation(status: 505, reason: "only HTTP/1.0 and HTTP/1.1 are spoken here")
        }
        head.minorVersion = bytes[start + 7] == UInt8(ascii: "0") ? 0 : 1
    }

    // MARK: The fields that decide about framing and the connection

    private func note(_ field: HeadField, _ bytes: Span<UInt8>, _ head: RequestHead) throws(HTTPViolation) {
        if field.isAlias {
            guard !field.known.mustNotHaveAlias else {
                throw .badRequest("a header that decides about framing or access is written with an underscore")
            }
            return
        }
        switch field.known {
        case .host:
            guard head.host == nil else { throw .badRequest("there are several Host headers") }
            head.host = head.fieldCount
        case .expect:
            guard bytes.isCaseInsensitively("100-continue", field.value) else {
                throw HTTPViolation(status: 417, reason: "the only expectation that is understood is 100-continue")
            }
            head.expectsContinue = true
        case .upgrade: head.hasUpgrade = true
        case .traceparent:
            head.hasSeveralTraceparents = head.hasSeveralTraceparents || head.traceparent != nil
            head.traceparent = head.hasSeveralTraceparents ? nil : head.fieldCount
        case .contentLength, .transferEncoding, .connection: try head.noteFraming(field, bytes)
        case .other, .authorization, .cookie, .te, .trailer, .keepAlive, .proxyConnection, .proxyAuthenticate,
            .proxyAuthorization, .http2Settings, .forwarded, .xForwarded, .xRealIP, .xRequestID, .tracestate, .date,
            .clientCertificateSubject:
            break
        }
    }

    private func finish(_ head: RequestHead) throws(HTTPViolation) {
        try head.checkFraming()
        // RFC 9112 section 3.2.
        guard head.host != nil || head.minorVersion == 0 else { throw .badRequest("there is no Host header") }
        // RFC 9110 section 10.1.1: HTTP/1.0 has no expectations.
        if head.minorVersion == 0 || head.framing == .none { head.expectsContinue = false }
    }
}

extension UInt8 {
    /// Visible ASCII without `#`: a request target has no fragment (RFC 9110 section 7.1).
    public var isTargetByte: Bool { self > 0x20 && self < 0x7f && self != UInt8(ascii: "#") }
}

extension Span where Element == UInt8 {
    /// `1*DIGIT` as a number below 10^18, or nil for anything else: parsers differ in where a larger one overflows.
    /// Leading zeros are valid.
    func decimal(_ range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        var number = 0
        for position in range {
            guard self[position].isDigit else { return nil }
            guard number < 100_000_000_000_000_000 else { return nil }
            number = number * 10 + Int(self[position] &- UInt8(ascii: "0"))
        }
        return number
    }

    /// Calls `body` with each member of a comma-separated list, trimmed, without empty members (RFC 9110 section
    /// 5.6.1).
    public func forEachListMember(_ range: Range<Int>, _ body: (Range<Int>) -> Void) {
        var start = range.lowerBound
        while start < range.upperBound {
            var end = start
            while end < range.upperBound, self[end] != UInt8(ascii: ",") { end += 1 }
            var first = start
            var last = end
            while first < last, self[first].isOptionalWhiteSpace { first += 1 }
            while first < last, self[last - 1].isOptionalWhiteSpace { last -= 1 }
            if first < last { body(first..<last) }
            start = end + 1
        }
    }
}
