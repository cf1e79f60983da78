/// A parsed request target (RFC 9112 section 3.2), as ranges of the head's bytes.
///
/// It is part of every decision and copied with it, so that it is kept small: the query begins where the path ends, and
/// nothing of a target is at position 0, where the method is.
public struct RequestTarget: Equatable, Sendable {
    @usableFromInline var authorityStart: Int32
    /// 0 without an authority.
    @usableFromInline var authorityEnd: Int32
    @usableFromInline var pathStart: Int32
    @usableFromInline var pathEnd: Int32
    /// 0 for the asterisk form.
    @usableFromInline var queryEnd: Int32

    /// From the absolute form; it takes precedence over Host.
    @inlinable
    public var authority: Range<Int>? { authorityEnd == 0 ? nil : Int(authorityStart)..<Int(authorityEnd) }

    /// Empty for `*`, and for an absolute form without a path, which means `/`.
    @inlinable
    public var path: Range<Int> { Int(pathStart)..<Int(pathEnd) }

    /// With its `?`; empty if there is none.
    @inlinable
    public var query: Range<Int> { Int(pathEnd)..<Int(queryEnd) }

    @inlinable
    public var isAsterisk: Bool { queryEnd == 0 }

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
            self.init(authority: nil, path: 0..<0, queryEnd: 0)
        } else {
            let authority = try Self.authority(bytes, target)
            if authority.upperBound == target.upperBound, bytes.isExactly("OPTIONS", method) {
                // RFC 9112 section 3.2.4: the last proxy converts it to the asterisk form.
                self.init(authority: authority, path: 0..<0, queryEnd: 0)
            } else {
                self.init(bytes, pathAndQuery: authority.upperBound..<target.upperBound, authority: authority)
            }
        }
    }

    private init(_ bytes: Span<UInt8>, pathAndQuery: Range<Int>, authority: Range<Int>?) {
        var end = pathAndQuery.lowerBound
        while end < pathAndQuery.upperBound, bytes[end] != UInt8(ascii: "?") { end += 1 }
        self.init(authority: authority, path: pathAndQuery.lowerBound..<end, queryEnd: pathAndQuery.upperBound)
    }

    private init(authority: Range<Int>?, path: Range<Int>, queryEnd: Int) {
        authorityStart = Int32(authority?.lowerBound ?? 0)
        authorityEnd = Int32(authority?.upperBound ?? 0)
        pathStart = Int32(path.lowerBound)
        pathEnd = Int32(path.upperBound)
        self.queryEnd = Int32(queryEnd)
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
