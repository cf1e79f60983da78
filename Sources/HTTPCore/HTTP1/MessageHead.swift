/// The common part of heads of both directions: their fields, and what these say about framing and the connection.
///
/// It holds offsets into the bytes it was parsed from, which its user keeps. Objects are reused, so that parsing
/// allocates nothing.
public class MessageHead {
    /// 0 or 1; higher minor versions are treated as 1 (RFC 9110 section 2.5).
    public final var minorVersion = 1
    /// Only the first `fieldCount` belong to this head.
    public final private(set) var fields: [HeadField] = []
    public final private(set) var fieldCount = 0
    /// Bytes of the whole head with its empty line.
    public final var length = 0
    public final private(set) var contentLength: Int?
    public final private(set) var isChunked = false
    /// Whether Transfer-Encoding names a coding besides `chunked`.
    final private(set) var hasUnknownCoding = false
    /// The names in Connection, besides its own `close` and `keep-alive`.
    public final private(set) var connectionNames: [Range<Int>] = []
    final private(set) var connectionClose = false
    final private(set) var connectionKeepAlive = false

    /// Members of all Connection fields together. Each field is compared with each of them, and no real message has so
    /// many.
    static let mostConnectionMembers = 64

    private final var connectionMembers = 0

    public init() {
        fields.reserveCapacity(128)
    }

    public func reset() {
        minorVersion = 1
        fieldCount = 0
        contentLength = nil
        isChunked = false
        hasUnknownCoding = false
        connectionMembers = 0
        if !connectionNames.isEmpty { connectionNames.removeAll(keepingCapacity: true) }
        connectionClose = false
        connectionKeepAlive = false
    }

    public final func append(_ field: HeadField) {
        if fieldCount < fields.count {
            fields[fieldCount] = field
        } else {
            fields.append(field)
        }
        fieldCount += 1
    }

    /// Whether the sender keeps the connection open after this exchange (RFC 9112 section 9.3).
    public final var keepsAlive: Bool {
        !connectionClose && (minorVersion >= 1 || connectionKeepAlive)
    }

    /// Records a field that affects framing or the connection; ignores others.
    final func noteFraming(_ field: HeadField, _ bytes: Span<UInt8>) throws(HTTPViolation) {
        switch field.known {
        case .contentLength:
            guard contentLength == nil else { throw .badRequest("there are several Content-Length headers") }
            guard let length = bytes.decimal(field.value) else {
                throw .badRequest("Content-Length is not a number of bytes")
            }
            contentLength = length
        case .transferEncoding:
            if !isChunked, bytes.isCaseInsensitively("chunked", field.value) {
                isChunked = true
            } else {
                try noteCodings(field.value, bytes)
            }
        case .connection: try noteConnection(field, bytes)
        case .other, .host, .authorization, .cookie, .expect, .upgrade, .te, .trailer, .keepAlive, .proxyConnection,
            .proxyAuthenticate, .proxyAuthorization, .http2Settings, .forwarded, .xForwarded, .xRealIP, .xRequestID,
            .traceparent, .tracestate, .date, .clientCertificateSubject:
            break
        }
    }

    /// Transfer codings other than a single `chunked`, over any number of field lines (RFC 9112 section 6.1).
    private func noteCodings(_ value: Range<Int>, _ bytes: Span<UInt8>) throws(HTTPViolation) {
        var start = value.lowerBound
        repeat {
            guard !isChunked else { throw .badRequest("a transfer coding follows \"chunked\"") }
            var end = start
            while end < value.upperBound, bytes[end] != UInt8(ascii: ",") { end += 1 }
            let coding = bytes.withoutWhiteSpace(start..<end)
            if bytes.isCaseInsensitively("chunked", coding) {
                isChunked = true
            } else {
                guard bytes.isTransferCoding(coding) else { throw .badRequest("Transfer-Encoding is malformed") }
                hasUnknownCoding = true
            }
            start = end + 1
        } while start <= value.upperBound
    }

    /// Refuses messages that two recipients could frame differently (RFC 9112 section 6.3 rules 3 and 4, section 6.1),
    /// then those in a coding that is not implemented.
    final func checkFraming() throws(HTTPViolation) {
        guard isChunked || hasUnknownCoding else { return }
        guard contentLength == nil else {
            throw .badRequest("there are both Content-Length and Transfer-Encoding")
        }
        guard minorVersion >= 1 else { throw .badRequest("HTTP/1.0 has no Transfer-Encoding") }
        guard isChunked else { throw .badRequest("the last transfer coding is not \"chunked\"") }
        guard !hasUnknownCoding else {
            throw HTTPViolation(status: 501, reason: "the only transfer coding that is understood is \"chunked\"")
        }
    }

    private func noteConnection(_ field: HeadField, _ bytes: Span<UInt8>) throws(HTTPViolation) {
        bytes.forEachListMember(field.value) { member in
            connectionMembers += 1
            if bytes.isCaseInsensitively("close", member) {
                connectionClose = true
            } else if bytes.isCaseInsensitively("keep-alive", member) {
                connectionKeepAlive = true
            } else if connectionNames.count < Self.mostConnectionMembers {
                connectionNames.append(member)
            }
        }
        guard connectionMembers <= Self.mostConnectionMembers else {
            throw .badRequest("Connection has more than 64 members")
        }
    }

    /// Whether Connection names this field (RFC 9110 section 7.6.1).
    @inlinable
    public final func isNamedByConnection(_ field: HeadField, _ bytes: Span<UInt8>) -> Bool {
        for name in connectionNames where bytes.isSameFieldName(name, field.name) {
            return true
        }
        return false
    }
}

extension Span where Element == UInt8 {
    /// `range` without surrounding white space.
    fileprivate func withoutWhiteSpace(_ range: Range<Int>) -> Range<Int> {
        var first = range.lowerBound
        var last = range.upperBound
        while first < last, self[first].isOptionalWhiteSpace { first += 1 }
        while first < last, self[last - 1].isOptionalWhiteSpace { last -= 1 }
        return first..<last
    }

    /// Whether a token stands there, with or without parameters. `chunked` defines none (RFC 9112 section 7.1).
    fileprivate func isTransferCoding(_ range: Range<Int>) -> Bool {
        var end = range.lowerBound
        while end < range.upperBound, self[end].isTokenByte { end += 1 }
        let name = range.lowerBound..<end
        guard !name.isEmpty else { return false }
        while end < range.upperBound, self[end].isOptionalWhiteSpace { end += 1 }
        if end == range.upperBound { return true }
        return self[end] == UInt8(ascii: ";") && !isCaseInsensitively("chunked", name)
    }
}
