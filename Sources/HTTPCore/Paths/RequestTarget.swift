/// A parsed request target (RFC 9112 section 3.2), as ranges of the head's bytes.
public struct RequestTarget: Equatable, Sendable {
    /// From the absolute form; it takes precedence over Host.
    public var authority: Range<Int>?
    /// Empty for `*`, and for an absolute form without a path, which means `/`.
    public var path: Range<Int>
    /// With its `?`; empty if there is none.
    public var query: Range<Int>
    public var isAsterisk: Bool

    /// - Throws: ``HTTPViolation`` for a target that is not in origin, absolute or asterisk form, or does not fit the
    ///   method. CONNECT and TRACE are refused: tunnels use extended CONNECT, and TRACE would echo credentials.
    public init(_ bytes: Span<UInt8>, method: Range<Int>, target: Range<Int>) throws(HTTPViolation) {
        if bytes.isExactly("CONNECT", method) || bytes.isExactly("TRACE", method) {
            throw HTTPViolation(status: 405, reason: "CONNECT and TRACE are not served")
        }
        if bytes[target.lowerBound] == UInt8(ascii: "/") {
            self.init(bytes, pathAndQuery: target, authority: nil)
        } else if target.count == 1, bytes[target.lowerBound] == UInt8(ascii: "*") {
            guard bytes.isExactly("OPTIONS", method) else {
                throw .badRequest("the target \"*\" goes with OPTIONS only")
            }
            self.init(
                authority: nil,
                path: target.lowerBound..<target.lowerBound,
                query: target.upperBound..<target.upperBound,
                isAsterisk: true
            )
        } else {
            let authority = try Self.authority(bytes, target)
            self.init(bytes, pathAndQuery: authority.upperBound..<target.upperBound, authority: authority)
            // RFC 9112 section 3.2.4: the last proxy converts it to the asterisk form.
            if path.isEmpty, query.isEmpty, bytes.isExactly("OPTIONS", method) { isAsterisk = true }
        }
    }

    private init(_ bytes: Span<UInt8>, pathAndQuery: Range<Int>, authority: Range<Int>?) {
        var end = pathAndQuery.lowerBound
        while end < pathAndQuery.upperBound, bytes[end] != UInt8(ascii: "?") { end += 1 }
        self.init(authority: authority, path: pathAndQuery.lowerBound..<end, query: end..<pathAndQuery.upperBound)
    }

    private init(authority: Range<Int>?, path: Range<Int>, query: Range<Int>, isAsterisk: Bool = false) {
        self.authority = authority
        self.path = path
        self.query = query
        self.isAsterisk = isAsterisk
    }

    private static func authority(_ bytes: Span<UInt8>, _ target: Range<Int>) throws(HTTPViolation) -> Range<Int> {
        let start: Int
        if target.count > 7, bytes.isCaseInsensitively("http://", target.lowerBound..<(target.lowerBound + 7)) {
            start = target.lowerBound + 7
        } else if target.count > 8, bytes.isCaseInsensitively("https://", target.lowerBound..<(target.lowerBound + 8)) {
            start = target.lowerBound + 8
        } else {
            throw .badRequest("the request target is neither a path nor an http URL")
        }
        var end = start
        while end < target.upperBound, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") { end += 1 }
        return start..<end
    }
}

extension Span where Element == UInt8 {
    @inlinable
    public func isExactly(_ text: StaticString, _ range: Range<Int>) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        let start = text.utf8Start
        for offset in 0..<range.count where self[range.lowerBound + offset] != start[offset] {
            return false
        }
        return true
    }
}
