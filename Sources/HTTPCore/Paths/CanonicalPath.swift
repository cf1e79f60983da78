/// A request's path in its canonical form: rules are matched on it, and the backend gets it. An ambiguous path is
/// refused, because a rule that checks another path than the backend uses is the commonest hole in gateways.
///
/// - Unreserved characters are decoded (RFC 3986 section 6.2.2.2), other escapes are kept unchanged.
/// - Dot segments are resolved (section 5.2.4), never above the root.
/// - `//` inside a path is kept, because some backends distinguish it; at the start it becomes one `/`, since some
///   servers read a host there.
/// - `;` parameters are kept.
///
/// A backend may merge slashes, drop parameters, or do both: rules are matched on each of these readings as well.
public struct CanonicalPath: Sendable {
    public enum Outcome: Equatable, Sendable {
        /// The path is canonical as received: nothing was written.
        case asReceived
        case rewritten
        case ambiguous(HTTPViolation)
    }

    /// The forwarded form; valid after `.rewritten`.
    public private(set) var forwarded: [UInt8] = []
    /// The form for matching rules: decoded once. Valid after `.rewritten`.
    public private(set) var decoded: [UInt8] = []
    /// The reading of a backend that merges slashes and drops parameters, if it differs from `decoded`. Valid after
    /// `.rewritten`.
    public private(set) var reduced: [UInt8]?
    /// The readings of backends that do only one of the two, if they differ from `decoded` and from `reduced`. Valid
    /// after `.rewritten`.
    public private(set) var partlyReduced: [[UInt8]] = []

    public init() {}

    /// Whether `path` has nothing to decode or resolve, so that it can be used unchanged: the usual case.
    static func isPlain(_ path: Span<UInt8>) -> Bool {
        var previous = UInt8(ascii: "a")
        for index in 0..<path.count {
            let byte = path[index]
            switch byte {
            case UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: ";"): return false
            case UInt8(ascii: "."), UInt8(ascii: "/"):
                if previous == UInt8(ascii: "/") { return false }
            default: break
            }
            previous = byte
        }
        return true
    }

    /// - Parameter path: Starts with `/`, has visible ASCII only and no query.
    public mutating func read(_ path: Span<UInt8>) -> Outcome {
        if Self.isPlain(path) { return .asReceived }
        forwarded.removeAll(keepingCapacity: true)
        decoded.removeAll(keepingCapacity: true)
        var position = 0
        while position < path.count, path[position] == UInt8(ascii: "/") { position += 1 }
        while true {
            var end = position
            while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
            if let reason = appendSegment(path, position..<end, isLast: end == path.count) {
                return .ambiguous(.badRequest(reason))
            }
            if end == path.count { break }
            position = end + 1
        }
        guard Self.isValidUTF8(decoded.span) else { return .ambiguous(.badRequest("the path is not valid UTF-8")) }
        reduce()
        return .rewritten
    }

    // MARK: Segments

    private mutating func appendSegment(_ path: Span<UInt8>, _ range: Range<Int>, isLast: Bool) -> StaticString? {
        let forwardedStart = forwarded.count
        let decodedStart = decoded.count
        // Dot segments before it are gone, so this one is at the start as well.
        if range.isEmpty && forwardedStart == 0 && !isLast { return nil }
        forwarded.append(UInt8(ascii: "/"))
        decoded.append(UInt8(ascii: "/"))
        if let reason = decode(path, range) { return reason }
        let segment = decoded[(decodedStart + 1)...]
        if Self.hasEscape(segment) { return "the path is percent-encoded twice" }
        let name = segment.prefix { $0 != UInt8(ascii: ";") }
        guard name.elementsEqual([UInt8(ascii: ".")]) || name.elementsEqual([UInt8(ascii: "."), UInt8(ascii: ".")])
        else { return nil }
        guard name.count == segment.count else { return "a dot segment has parameters" }
        let isParent = name.count == 2
        forwarded.removeSubrange(forwardedStart...)
        decoded.removeSubrange(decodedStart...)
        if isParent, let reason = removeLastSegment() { return reason }
        if isLast {
            forwarded.append(UInt8(ascii: "/"))
            decoded.append(UInt8(ascii: "/"))
        }
        return nil
    }

    /// Removes the segment before a `..`.
    private mutating func removeLastSegment() -> StaticString? {
        guard let forwardedSlash = forwarded.lastIndex(of: UInt8(ascii: "/")),
            let decodedSlash = decoded.lastIndex(of: UInt8(ascii: "/"))
        else { return "the path climbs above its root" }
        // `/a//../b` is `/a/b` by the RFC, but `/b` for a server that merges slashes first.
        guard forwardedSlash < forwarded.count - 1 else { return "a parent segment follows an empty one" }
        guard !decoded[decodedSlash...].contains(UInt8(ascii: ";")) else {
            return "a parent segment follows one with parameters"
        }
        forwarded.removeSubrange(forwardedSlash...)
        decoded.removeSubrange(decodedSlash...)
        return nil
    }

    /// Appends the bytes of a segment, decoded and in the forwarded form.
    private mutating func decode(_ path: Span<UInt8>, _ range: Range<Int>) -> StaticString? {
        var position = range.lowerBound
        while position < range.upperBound {
            let byte = path[position]
            guard byte == UInt8(ascii: "%") else {
                guard byte != UInt8(ascii: "\\") else { return "the path has a backslash" }
                forwarded.append(byte)
                decoded.append(byte)
                position += 1
                continue
            }
            guard position + 2 < range.upperBound, let high = path[position + 1].hexValue,
                let low = path[position + 2].hexValue
            else { return "the path has a malformed percent-escape" }
            let value = high << 4 | low
            switch value {
            case UInt8(ascii: "/"), UInt8(ascii: "\\"): return "the path has an encoded slash or backslash"
            case 0: return "the path has an encoded NUL"
            case UInt8(ascii: ";"): return "the path has an encoded semicolon"
            default: break
            }
            decoded.append(value)
            if value.isUnreserved {
                forwarded.append(value)
            } else {
                forwarded.append(byte)
                forwarded.append(path[position + 1])
                forwarded.append(path[position + 2])
            }
            position += 3
        }
        return nil
    }

    /// Whether a decoded segment would decode again. Its digits may have been escaped themselves, so only the decoded
    /// form can tell.
    private static func hasEscape(_ segment: ArraySlice<UInt8>) -> Bool {
        for index in segment.indices where segment[index] == UInt8(ascii: "%") && index + 2 < segment.endIndex {
            if segment[index + 1].hexValue != nil && segment[index + 2].hexValue != nil { return true }
        }
        return false
    }

    // MARK: Readings

    /// Makes the readings of backends that merge slashes and drop `;` parameters.
    private mutating func reduce() {
        (reduced, partlyReduced) = (nil, [])
        let whole = Self.reading(of: decoded, mergesSlashes: true, dropsParameters: true)
        guard whole.count != decoded.count else { return }
        reduced = whole
        // Each is the other with bytes left out, so readings of one length are equal.
        let parts = [
            Self.reading(of: decoded, mergesSlashes: true, dropsParameters: false),
            Self.reading(of: decoded, mergesSlashes: false, dropsParameters: true),
        ]
        partlyReduced = parts.filter { $0.count != whole.count && $0.count != decoded.count }
    }

    private static func reading(of path: [UInt8], mergesSlashes: Bool, dropsParameters: Bool) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(path.count)
        var isInParameters = false
        for byte in path {
            if byte == UInt8(ascii: "/") {
                isInParameters = false
                if mergesSlashes, result.last == UInt8(ascii: "/") { continue }
            } else if byte == UInt8(ascii: ";") {
                isInParameters = dropsParameters
            }
            if !isInParameters { result.append(byte) }
        }
        return result
    }

    /// RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF.
    private static func isValidUTF8(_ bytes: Span<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) != nil }
    }
}

extension UInt8 {
    /// RFC 3986 section 2.3.
    fileprivate var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
