/// The fields that the gateway itself reads, sets or removes. All others pass unchanged.
public enum KnownField: UInt8, CaseIterable, Sendable {
    case other
    case host, contentLength, transferEncoding, connection, authorization, cookie, expect, upgrade, te, trailer
    case keepAlive, proxyConnection, proxyAuthenticate, proxyAuthorization, http2Settings
    case forwarded, xForwarded, xRealIP, xRequestID, traceparent, tracestate, date, clientCertificateSubject

    /// Compares raw values: the synthesized comparison is not inlined in other modules.
    @inlinable
    public static func == (left: KnownField, right: KnownField) -> Bool {
        unsafeBitCast(left, to: UInt8.self) == unsafeBitCast(right, to: UInt8.self)
    }

    /// The field with this name, or `.other`; case is ignored (RFC 9110 section 5.1) and `_` counts as `-`.
    ///
    /// Selected by length and first byte: at most one candidate is compared.
    static func named(_ bytes: Span<UInt8>, _ name: Range<Int>) -> KnownField {
        guard !name.isEmpty else { return .other }
        let first = bytes[name.lowerBound].asFieldNameByte
        @inline(__always)
        func isName(_ text: StaticString) -> Bool { text.utf8Start.pointee == first && bytes.isFieldName(name, text) }
        if first == UInt8(ascii: "x"), name.count >= 11,
            bytes.isFieldName(name.lowerBound..<(name.lowerBound + 11), "x-forwarded")
        {
            return name.count == 11 || bytes[name.lowerBound + 11].asFieldNameByte == UInt8(ascii: "-")
                ? .xForwarded : .other
        }
        switch name.count {
        case 2: return isName("te") ? .te : .other
        case 4: return isName("host") ? .host : isName("date") ? .date : .other
        case 6: return isName("cookie") ? .cookie : isName("expect") ? .expect : .other
        case 7: return isName("upgrade") ? .upgrade : isName("trailer") ? .trailer : .other
        case 9: return isName("forwarded") ? .forwarded : isName("x-real-ip") ? .xRealIP : .other
        case 10:
            return isName("connection")
                ? .connection : isName("keep-alive") ? .keepAlive : isName("tracestate") ? .tracestate : .other
        case 11: return isName("traceparent") ? .traceparent : .other
        case 12: return isName("x-request-id") ? .xRequestID : .other
        case 13: return isName("authorization") ? .authorization : .other
        case 14: return isName("content-length") ? .contentLength : isName("http2-settings") ? .http2Settings : .other
        case 16: return isName("proxy-connection") ? .proxyConnection : .other
        case 17: return isName("transfer-encoding") ? .transferEncoding : .other
        case 18: return isName("proxy-authenticate") ? .proxyAuthenticate : .other
        case 19: return isName("proxy-authorization") ? .proxyAuthorization : .other
        case 28: return isName("x-client-certificate-subject") ? .clientCertificateSubject : .other
        default: return .other
        }
    }

    /// Fields that apply to one connection only (RFC 9110 section 7.6.1), and credentials for a proxy: never forwarded.
    /// Framing fields are written anew.
    @inlinable
    public var endsHere: Bool {
        switch self {
        case .connection, .keepAlive, .proxyConnection, .proxyAuthenticate, .proxyAuthorization, .http2Settings,
            .transferEncoding, .contentLength, .te, .upgrade:
            true
        case .other, .host, .authorization, .cookie, .expect, .trailer, .forwarded, .xForwarded, .xRealIP, .xRequestID,
            .traceparent, .tracestate, .date, .clientCertificateSubject:
            false
        }
    }

    /// Fields that a backend might read under an alias with `_`, to the harm of framing, routing or authentication.
    @inlinable
    public var mustNotHaveAlias: Bool {
        switch self {
        case .host, .contentLength, .transferEncoding, .connection, .authorization, .cookie, .expect, .upgrade, .te,
            .trailer:
            true
        case .other, .keepAlive, .proxyConnection, .proxyAuthenticate, .proxyAuthorization, .http2Settings, .forwarded,
            .xForwarded, .xRealIP, .xRequestID, .traceparent, .tracestate, .date, .clientCertificateSubject:
            false
        }
    }
}

extension Span where Element == UInt8 {
    /// Whether the field name at `range` is `text` (lower case), with case ignored and `_` read as `-`.
    @inlinable
    public func isFieldName(_ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        let start = text.utf8Start
        let folding = TokenFolding()
        let name = extracting(range)
        for offset in 0..<name.count where folding[name[offset]] != start[offset] { return false }
        return true
    }

    /// Whether the bytes at `range` are `text` (lower case letters), with case ignored.
    @inlinable
    public func isCaseInsensitively(_ text: StaticString, _ range: Range<Int>) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        let start = text.utf8Start
        for offset in 0..<range.count where self[range.lowerBound + offset].asciiLowercased != start[offset] {
            return false
        }
        return true
    }
}

extension UInt8 {
    @inlinable
    public var asciiLowercased: UInt8 {
        self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
    }

    /// Lower case, and `-` for any byte that is neither letter nor digit: servers that pass fields as environment
    /// variables do the same, some for `_` only and some for every such byte.
    @inlinable
    public var asFieldNameByte: UInt8 {
        isFieldNamePunctuation ? UInt8(ascii: "-") : asciiLowercased
    }

    /// Neither letter nor digit; for bytes of a token.
    @inlinable
    public var isFieldNamePunctuation: Bool {
        let lowered = self | 0x20
        return !isDigit && (lowered < UInt8(ascii: "a") || lowered > UInt8(ascii: "z"))
    }

    /// RFC 9110 section 5.6.2, as two 64-bit sets.
    @inlinable
    public var isTokenByte: Bool {
        if self < 64 { return (0x03ff_6cfa_0000_0000 >> UInt64(self)) & 1 == 1 }
        return self < 128 && (0x57ff_ffff_c7ff_fffe >> UInt64(self & 63)) & 1 == 1
    }

    @inlinable
    public var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    /// The value of a hexadecimal digit, or nil.
    @inlinable
    public var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
