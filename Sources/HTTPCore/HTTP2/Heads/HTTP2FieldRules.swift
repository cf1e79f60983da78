/// Rules for HTTP/2 fields in any message (RFC 9113 section 8.2).
///
/// Errors that HTTP/1.1 has as well are left to its parsers, which have a text and a status for them.
public enum HTTP2FieldRules {
    /// Checks a field that is not a pseudo-header field.
    ///
    /// - Returns: The known field; `.other` also for a name that resembles one by its punctuation.
    static func check(_ field: HeaderList.Field, _ bytes: Span<UInt8>) throws(HTTP2Malformed) -> KnownField {
        guard bytes.isLowerCaseToken(field.name) else {
            let isPseudo = !field.name.isEmpty && bytes[field.name.lowerBound] == UInt8(ascii: ":")
            throw isPseudo
                ? HTTP2Malformed("a pseudo-header field is unknown, or follows a regular field")
                : HTTP2Malformed("a field name has a byte that is not allowed in names, or an upper-case letter")
        }
        try checkValue(bytes, field.value)
        let known = KnownField.named(bytes, field.name)
        guard known != .other, !bytes.isAlias(field.name) else { return .other }
        switch known {
        // RFC 9113 section 8.2.2.
        case .connection, .keepAlive, .proxyConnection, .transferEncoding, .upgrade, .http2Settings:
            throw HTTP2Malformed("there is a field that is specific to connections of HTTP/1")
        case .other, .host, .contentLength, .authorization, .cookie, .expect, .te, .trailer, .proxyAuthenticate,
            .proxyAuthorization, .forwarded, .xForwarded, .xRealIP, .xRequestID, .traceparent, .tracestate, .date,
            .clientCertificateSubject:
            return known
        }
    }

    /// RFC 9113 section 8.2.1.
    static func checkValue(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(HTTP2Malformed) {
        guard !value.isEmpty else { return }
        guard !bytes[value.lowerBound].isOptionalWhiteSpace, !bytes[value.upperBound - 1].isOptionalWhiteSpace else {
            throw HTTP2Malformed("a field value begins or ends with white space")
        }
        guard bytes.hasControlByte(in: value) else { return }
        for position in value where [0x00, 0x0a, 0x0d].contains(bytes[position]) {
            throw HTTP2Malformed("a field value has NUL, CR or LF")
        }
    }

    /// The trailer lines of a message, each with its CRLF, for ``Trailers``.
    public static func trailerSection(_ list: borrowing HeaderList) throws(HTTP2Malformed) -> [UInt8] {
        guard !list.isTooLarge else { throw .headTooLarge }
        let bytes = list.bytes.span
        for index in list.fields.indices {
            let known = try check(list.fields[index], bytes)
            guard known != .contentLength, known != .host else {
                throw HTTP2Malformed("a trailer would frame or route the message")
            }
        }
        guard let first = list.fields.first, let last = list.fields.last else { return [] }
        return Array(list.bytes[first.line.lowerBound..<last.line.upperBound])
    }
}

/// The Content-Length of a message.
public struct HTTP2ContentLength: Sendable {
    public private(set) var value: Int?

    mutating func note(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(HTTP2Malformed) {
        guard value == nil else { throw HTTP2Malformed("there are several content-length fields") }
        guard let length = bytes.decimal(range) else {
            throw HTTP2Malformed("content-length is not a number of bytes")
        }
        value = length
    }

    /// RFC 9113 section 8.1.1, for a message that ends with its head.
    func checkEmpty() throws(HTTP2Malformed) {
        guard value ?? 0 == 0 else { throw HTTP2Malformed("the content is shorter than content-length says") }
    }
}

extension Span where Element == UInt8 {
    /// Whether the bytes are a token (RFC 9110 section 5.6.2) without upper-case letters.
    func isLowerCaseToken(_ range: Range<Int>) -> Bool {
        for position in range {
            let byte = self[position]
            // Two sets of 64 bits, as in ``UInt8/isTokenByte``.
            let isAllowed =
                byte < 64
                ? 0x03ff_6cfa_0000_0000 >> UInt64(byte) & 1 == 1
                : byte < 128 && 0x57ff_ffff_c000_0000 >> UInt64(byte & 63) & 1 == 1
            guard isAllowed else { return false }
        }
        return !range.isEmpty
    }

    /// Whether a name has a byte that is neither letter, digit nor `-`.
    fileprivate func isAlias(_ name: Range<Int>) -> Bool {
        for position in name where self[position].isFieldNamePunctuation && self[position] != UInt8(ascii: "-") {
            return true
        }
        return false
    }

    /// Whether the bytes at two ranges are the same, with the case of letters ignored.
    func isSame(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        guard left.count == right.count else { return false }
        for offset in 0..<left.count
        where self[left.lowerBound + offset].asciiLowercased != self[right.lowerBound + offset].asciiLowercased {
            return false
        }
        return true
    }
}
